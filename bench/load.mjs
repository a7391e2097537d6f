import { performance } from "node:perf_hooks";

/** Turns of one conversation, after which it begins anew: bodies grow as they do in use, and no further. */
export const TURNS = 200;

/**
 * A closed loop: each of `lanes` sends its next message when the last one is answered, until `runs` messages
 * are answered. Lane n talks to agent n, round and round. It has to last some seconds: the product writes its
 * record every three seconds, behind its answers, the floor writes before them.
 * @returns `{perSecond, recorded, latency, latencies, behind}`: runs a second until the last answer and until the
 *   record was complete, the median in milliseconds, every latency in the order in which the runs ended, and the
 *   milliseconds after the last answer until the record was complete
 */
export async function drive(side, { agentIds, lanes, runs }) {
  const latencies = [];
  let answering = 0;
  while (latencies.length < runs) {
    await side.reset(agentIds);
    const most = Math.min(runs - latencies.length, TURNS * agentIds.length);
    answering += await timed(() => talk(side, { agentIds, lanes, runs: most }, latencies));
  }
  const behind = await timed(() => side.recorded());
  const perSecond = (runs * 1000) / answering;
  const recorded = (runs * 1000) / (answering + behind);
  return { perSecond, recorded, latency: median(latencies), latencies, behind };
}

async function talk(side, { agentIds, lanes, runs }, latencies) {
  let sent = 0;
  const lane = async (_, number) => {
    for (let turn = number; sent < runs; turn += lanes) {
      sent += 1;
      latencies.push(await timed(() => side.chat(agentIds[turn % agentIds.length])));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function timed(act) {
  const at = performance.now();
  await act();
  return performance.now() - at;
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}
