import { performance } from "node:perf_hooks";

/**
 * A closed loop: each of `lanes` sends its next message when the last one is answered, until `runs` messages
 * are answered. Lane n talks to agent n, round and round.
 * @returns `{perSecond, latency, latencies}`: runs a second until the record is complete, the median in
 *   milliseconds, and every latency in the order in which the runs ended
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
  await side.recorded();
  const seconds = (performance.now() - at) / 1000;
  return { perSecond: runs / seconds, latency: median(latencies), latencies };
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}
