import { drive, median, TURNS } from "./load.mjs";
import { team } from "./team.mjs";

/** J1 is a run with one tool call, J2 a run whose agent asks another one. */
const journeys = { J1: team.tool, J2: team.asker };
const shapes = [
  { lanes: 1, agents: 1 },
  { lanes: 1, agents: 16 },
  { lanes: 16, agents: 16 },
  { lanes: 16, agents: 1 },
];

/** Turns at the beginning and at the end that are compared. */
const WINDOW = 50;

/** How much is measured, after so many runs of each journey that warm both sides up: their code is compiled as it runs. */
export const FULL = { warm: 2_400, rounds: 5, alone: 1_200, crowded: 2_000, conversations: 5 };
export const QUICK = { warm: 800, rounds: 3, alone: 700, crowded: 1_100, conversations: 3 };

export async function warmUp({ product, floor }, { warm }) {
  for (const side of [product, floor])
    for (const agentIds of Object.values(journeys))
      await drive(side, { agentIds, lanes: agentIds.length, runs: warm });
}

/**
 * Throughput and latency of one case. Rounds of the two sides take turns, each side's best round counts: what
 * else the machine does only ever makes a round slower.
 */
export async function* measureCases({ product, floor }, { rounds, alone, crowded }) {
  for (const [journey, ids] of Object.entries(journeys)) {
    for (const { lanes, agents } of shapes) {
      const load = { agentIds: ids.slice(0, agents), lanes, runs: lanes === 1 ? alone : crowded };
      const results = await takeTurns([product, floor], rounds, (side) => drive(side, load));
      const [ours, floors] = results.map(best);
      yield { journey, lanes, agents, ours, floors };
    }
  }
}

function best(results) {
  return {
    perSecond: Math.max(...results.map(({ perSecond }) => perSecond)),
    recorded: Math.max(...results.map(({ recorded }) => recorded)),
    latency: Math.min(...results.map(({ latency }) => latency)),
    behind: Math.max(...results.map(({ behind }) => behind)),
  };
}

/** One conversation of 200 turns: the median latency of its first and of its last turns, best of some conversations. */
export async function* measureFlatness({ product, floor }, { conversations }) {
  for (const [journey, ids] of Object.entries(journeys)) {
    const load = { agentIds: ids.slice(0, 1), lanes: 1, runs: TURNS };
    const results = await takeTurns([product, floor], conversations, (side) => drive(side, load));
    const [ours, floors] = results.map(firstAndLast);
    yield { journey, ours, floors };
  }
}

function firstAndLast(results) {
  const best = (cut) => Math.min(...results.map(({ latencies }) => median(cut(latencies))));
  return { first: best((all) => all.slice(0, WINDOW)), last: best((all) => all.slice(-WINDOW)) };
}

async function takeTurns(sides, rounds, run) {
  const results = sides.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    for (const index of order) results[index].push(await run(sides[index]));
  }
  return results;
}
