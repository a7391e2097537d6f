export const GOALS = { throughput: 0.8, latency: 1.4, growth: 1.15 };

export const casesHeading = [
  "      lanes  agents   product runs/s   floor runs/s   ratio  recorded    product ms   floor ms   ratio",
  "      -----  ------   --------------   ------------   -----  --------    ----------   --------   -----",
].join("\n");

/** One case as a line, with `-` behind a ratio that misses its goal. */
export function caseLine({ journey, lanes, agents, ours, floors }) {
  const { throughput, latency } = ratiosOf({ ours, floors });
  return [
    journey.padEnd(4),
    cell(lanes, 7),
    cell(agents, 8),
    cell(ours.perSecond.toFixed(1), 17),
    cell(floors.perSecond.toFixed(1), 15),
    ratio(throughput, throughput >= GOALS.throughput),
    cell((ours.recorded / floors.recorded).toFixed(2), 8),
    cell(ours.latency.toFixed(2), 12),
    cell(floors.latency.toFixed(2), 11),
    ratio(latency, latency <= GOALS.latency),
  ].join("");
}

export const flatHeading = [
  "      product first 50   last 50   growth    floor first 50   last 50   growth    product/floor",
  "      ----------------   -------   ------    --------------   -------   ------    -------------",
].join("\n");

export function flatLine({ journey, ours, floors }) {
  const growth = growthOf({ ours, floors });
  return [
    journey.padEnd(4),
    cell(ours.first.toFixed(2), 18),
    cell(ours.last.toFixed(2), 10),
    cell((ours.last / ours.first).toFixed(2), 9),
    cell(floors.first.toFixed(2), 18),
    cell(floors.last.toFixed(2), 10),
    cell((floors.last / floors.first).toFixed(2), 9),
    ratio(growth, growth <= GOALS.growth, 15),
  ].join("");
}

const cell = (value, width) => String(value).padStart(width);
const ratio = (value, met, width = 8) => `${cell(value.toFixed(2), width)}${met ? "  " : " -"}`;

export function ratiosOf({ ours, floors }) {
  return { throughput: ours.perSecond / floors.perSecond, latency: ours.latency / floors.latency };
}

/** How much more the product slows down over a conversation than the floor, whose bodies grow as much. */
export function growthOf({ ours, floors }) {
  return ours.last / ours.first / (floors.last / floors.first);
}

/** The closing sentences: which goals are met. */
export function verdict(cases, flatness) {
  const throughput = Math.min(...cases.map((found) => ratiosOf(found).throughput));
  const latency = Math.max(...cases.map((found) => ratiosOf(found).latency));
  const growth = Math.max(...flatness.map(growthOf));
  const behind = Math.max(...cases.map(({ ours }) => ours.behind));
  return [
    goal("throughput", `at least ${GOALS.throughput} of the floor`, [
      throughput,
      throughput >= GOALS.throughput,
    ]),
    goal("median latency", `at most ${GOALS.latency} of the floor`, [latency, latency <= GOALS.latency]),
    goal("flat over 200 turns", `growth at most ${GOALS.growth} of the floor's`, [
      growth,
      growth <= GOALS.growth,
    ]),
    `The product's record was complete at most ${Math.ceil(behind)} ms after the last answer. Throughput counts until that answer, "recorded" until then.`,
  ].join("\n");
}

const goal = (name, wanted, [worst, met]) =>
  `${met ? "met    " : "missed "} ${name}: ${wanted}; the worst case is ${worst.toFixed(2)}`;

/** Whether both sides asked the models for the same. */
export function sameWork(before, after) {
  const [ours, floors] = ["product", "floor"].map((side) => ({
    calls: after[side].calls - (before[side]?.calls ?? 0),
    bytes: after[side].bytes - (before[side]?.bytes ?? 0),
  }));
  const bytes = ((ours.bytes / floors.bytes - 1) * 100).toFixed(1);
  return `model calls: product ${ours.calls}, floor ${floors.calls}; the product's bodies are ${bytes} % larger`;
}
