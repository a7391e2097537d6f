import { performance } from "node:perf_hooks";

/**
 * A closed loop: each of `lanes` sends its next message when the last one is answered, until `runs` messages
 * are answered. Lane n talks to agent n, round and round.
 * @returns `{perSecond, recorded, latency, latencies, behind}`: runs a second until the last answer and until the
 *   record was complete, the median in milliseconds, every latency in the order in which the runs ended, and the
 *   milliseconds after the last answer until the record was complete: the product writes it behind its answers,
 *   the floor before them
 */
export async function drive(side, { agentIds, lanes, runs }) {
  const latencies = [];
  let sent = 0;
  const lane = async (_, number) => {
    for (let turn = number; sent < runs; turn += lanes) {
      sent += 1;
      const at = performance.now();
      await side.chat(agentIds[turn % agentIds.length]);
      latencies.push(performance.now() - at);
    }
  };
  const at = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  const answered = performance.now();
  await side.recorded();
  const behind = performance.now() - answered;
  const perSecond = (runs * 1000) / (answered - at);
  const recorded = (runs * 1000) / (answered - at + behind);
  return { perSecond, recorded, latency: median(latencies), latencies, behind };
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}
