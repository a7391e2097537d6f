import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChainFacts } from "../../../core/analysis/chain-facts.ts";
import { factsOf } from "../../../core/analysis/chain-facts.ts";
import { addChain, NO_CHAINS, takeChain } from "../../../core/analysis/chain-sums.ts";
import { csvOf } from "../../../core/analysis/csv.ts";
import { dearLimitMicros } from "../../../core/analysis/find-chains.ts";
import { bucketOf, spreadOf } from "../../../core/analysis/histogram.ts";
import { surelyAtLeast } from "../../../core/analysis/message-counts.ts";
import { parsePeriod, periodKeys } from "../../../core/analysis/period.ts";
import { longestExchange, surprisingExchanges, type Turn } from "../../../core/analysis/ping-pong.ts";

const HOUR_MS = 3_600_000;
const EPOCH = Date.parse("2026-01-01T00:00:00Z");
const iso = (ms: number) => new Date(ms).toISOString();

describe("a period", () => {
  it("is made of keys that hold each of its hours once, and of few", () => {
    const hours = fc.integer({ min: 0, max: 24 * 365 });
    fc.assert(
      fc.property(hours, hours, (a, b) => {
        const [from, to] = [EPOCH + Math.min(a, b) * HOUR_MS, EPOCH + Math.max(a, b) * HOUR_MS + 1];
        const parsed = parsePeriod({ since: iso(from), until: iso(to) });
        if (!parsed.ok) throw new Error("no period");
        const keys = periodKeys(parsed.period, { first: "2026-01", last: "2027-01" });
        const held = Array.from({ length: 24 * 400 }, (_, hour) => iso(EPOCH + hour * HOUR_MS)).filter(
          (hour) => keys.filter((key) => hour.startsWith(key)).length === 1,
        );
        const wanted = Math.floor(to / HOUR_MS) - from / HOUR_MS + 1;
        return held.length === wanted && keys.length <= 46 + 60 + 12;
      }),
      { numRuns: 40 },
    );
  });
});

describe("a histogram", () => {
  it("tells median and 95th percentile within five per cent of the nearest rank", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 2, max: 1e9 }), { minLength: 1, maxLength: 200 }), (values) => {
        const counters: Record<string, number> = {};
        for (const value of values) counters[bucketOf(value)] = (counters[bucketOf(value)] ?? 0) + 1;
        const sorted = values.toSorted((a, b) => a - b);
        const { count, median, p95 } = spreadOf(counters);
        const near = (told: number | null, share: number) =>
          Math.abs((told ?? 0) / (sorted[Math.ceil(values.length * share) - 1] ?? 0) - 1) < 0.05;
        return count === values.length && near(median, 0.5) && near(p95, 0.95);
      }),
    );
  });

  it("tells nothing of nothing", () => {
    expect(spreadOf({})).toEqual({ count: 0, median: null, p95: null });
  });
});

const run = (runId: string, over: object = {}) => ({
  rootRunId: "root",
  runId,
  parentRunId: null,
  agentId: "a",
  trigger: "task",
  model: "m",
  status: "completed" as const,
  costMicros: 100,
  startedAt: iso(EPOCH),
  finishedAt: iso(EPOCH + 1_000),
  ...over,
});

describe("a chain", () => {
  it("has the depth, the failures and the cost of its runs", () => {
    const runs = [
      run("root", { trigger: "chat", costMicros: 300 }),
      run("b", { parentRunId: "root", status: "failed", costMicros: null }),
      run("c", { parentRunId: "b", status: "cancelled" }),
    ];
    expect(factsOf("root", runs, [])).toMatchObject({
      trigger: "chat",
      runs: 3,
      failedRuns: 1,
      depth: 3,
      costMicros: 400,
      unpriced: 1,
      byDepth: "[[1,0],[1,1],[1,0]]",
    });
  });

  it("fails deep when work was handed on that far and failed there, not when a question on the way did", () => {
    const way = Array.from({ length: 5 }, (_, n) =>
      run(`r${n}`, { parentRunId: n === 0 ? null : `r${n - 1}` }),
    );
    const ask = run("q", { parentRunId: "r4", trigger: "ask", status: "failed" });
    expect(factsOf("root", [...way, ask], [])).toMatchObject({ deepFailed: 0, depth: 6 });
    expect(
      factsOf("root", [...way.slice(0, 4), run("r4", { parentRunId: "r3", status: "timeout" })], []),
    ).toMatchObject({ deepFailed: 1 });
  });

  it("leaves the sums as they were when it is added and taken out again", () => {
    const facts = (n: number) =>
      factsOf(
        `root${n}`,
        [
          run(`r${n}`, {
            costMicros: n % 3 === 0 ? null : n * 1_000,
            status: n % 2 === 0 ? "failed" : "completed",
          }),
        ],
        [],
      );
    const some = [1, 2, 3, 4].flatMap((n): ChainFacts[] => [facts(n)].filter((each) => each !== null));
    const three = some.slice(0, 3).reduce(addChain, NO_CHAINS);
    const [last] = some.slice(3);
    if (last === undefined) throw new Error("no chain");
    expect(takeChain(addChain(three, last), last)).toEqual(three);
    expect(three).toMatchObject({ chains: 3, failed: 1, unpriced: 1, micros: 3_000, pricedRuns: 2 });
  });

  it("is dear far beyond what the others cost, and nothing is dear among few", () => {
    const costs = (count: number) => ({
      ...NO_CHAINS,
      costs: { [bucketOf(1_000)]: count * 0.9, [bucketOf(5_000)]: count * 0.1 },
    });
    expect(dearLimitMicros(costs(10))).toBeNull();
    expect(dearLimitMicros(costs(1_000))).toBeGreaterThan(5_000 * 3);
    expect(dearLimitMicros(costs(1_000))).toBeLessThan(5_000 * 30);
  });
});

describe("back and forth", () => {
  const turns = (senders: string, gapMs: number): Turn[] =>
    [...senders].map((from, index) => ({
      id: index,
      from,
      to: from === "a" ? "b" : "a",
      at: iso(EPOCH + index * gapMs),
    }));

  it("is the longest piece in which the sender changes with every turn", () => {
    expect(longestExchange(turns("aabababb", HOUR_MS)).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(longestExchange([])).toEqual([]);
  });

  it("over several chains must be quick, and longer than chance would make it", () => {
    expect(surprisingExchanges(turns("ab".repeat(12), 60_000))).toHaveLength(1);
    expect(surprisingExchanges(turns("ab".repeat(12), HOUR_MS))).toEqual([]);
    expect(surprisingExchanges(turns("ababab", 60_000))).toEqual([]);
    expect(surprisingExchanges(turns(`${"aab".repeat(300)}${"ab".repeat(6)}`, 60_000))).toEqual([]);
  });
});

describe("a rate", () => {
  it("of few says less than the same of many", () => {
    expect(surelyAtLeast(3, 4, 1)).toBeLessThan(surelyAtLeast(30, 40, 1));
    expect(surelyAtLeast(0, 0, 1)).toBe(0);
    expect(surelyAtLeast(30, 40, 1)).toBeGreaterThan(0.55);
  });

  it("among many must be higher to stand out, for chance has more to choose from", () => {
    expect(surelyAtLeast(5, 18, 132)).toBeLessThan(0.1);
    expect(surelyAtLeast(5, 10, 3)).toBeGreaterThan(0.1);
  });
});

describe("CSV", () => {
  it("quotes what must be quoted, leaves the unknown empty, and gives no spreadsheet a formula", () => {
    expect(csvOf([{ name: 'a "b", c', text: "=1+1", cost: null, line: "1\n2" }])).toBe(
      'name,text,cost,line\r\n"a ""b"", c",\'=1+1,,"1\n2"\r\n',
    );
    expect(csvOf([])).toBe("");
  });
});
