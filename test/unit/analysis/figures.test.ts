import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentFigures } from "../../../core/analysis/agent-figures.ts";
import type { ChainFacts, ChainMessage, ChainRun } from "../../../core/analysis/chain-facts.ts";
import { factsOf } from "../../../core/analysis/chain-facts.ts";
import { addChain, NO_CHAINS, takeChain } from "../../../core/analysis/chain-sums.ts";
import { csvOf } from "../../../core/analysis/csv.ts";
import { dearLimitMicros } from "../../../core/analysis/find-chains.ts";
import { bucketOf, spreadOf } from "../../../core/analysis/histogram.ts";
import { surelyAtLeast } from "../../../core/analysis/message-counts.ts";
import { parsePeriod, periodKeys, seriesKeys } from "../../../core/analysis/period.ts";
import { longestExchange, surprisingExchanges, type Turn } from "../../../core/analysis/ping-pong.ts";
import type { MessageSums, RunSums } from "../../../core/analysis/read-rollups.ts";
import type { Trigger } from "../../../core/lineage.ts";

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

describe("a period in which one row is of another century", () => {
  const months = { first: "1601-01", last: "2026-11" };
  const open = { since: null, before: null };

  it("still holds today, and few keys", () => {
    const keys = periodKeys(open, months);
    expect(keys.at(-1)).toBe("2026-11");
    expect(keys.length).toBeLessThanOrEqual(101 * 12);
  });

  it("has a time axis of its months", () => {
    const { grain, keys } = seriesKeys(open, months);
    expect([grain, keys.at(-1), new Set(keys).size]).toEqual(["month", "2026-11", keys.length]);
  });

  it("has all months of a time axis that begins in the middle of one", () => {
    const period = { since: "2026-05-31T22:00:00.000Z", before: "2026-10-02T00:00:00.000Z" };
    expect(seriesKeys(period, months).keys).toEqual([
      "2026-05",
      "2026-06",
      "2026-07",
      "2026-08",
      "2026-09",
      "2026-10",
    ]);
  });
});

describe("a habit", () => {
  const asks = (from: string, to: string, counts: Partial<MessageSums>): MessageSums => ({
    from,
    to,
    channel: "ask",
    requests: 0,
    responses: 0,
    requestFailed: 0,
    requestTimeout: 0,
    requestDenied: 0,
    responseFailed: 0,
    responseTimeout: 0,
    responseDenied: 0,
    done: 0,
    blocked: 0,
    rejected: 0,
    cancelled: 0,
    firstAt: "",
    lastAt: "",
    byHour: {},
    waits: {},
    ...counts,
  });
  const runsOf = (agentId: string, trigger: Trigger): RunSums => ({
    agentId,
    trigger,
    model: "m",
    runs: 20,
    failed: 0,
    timeout: 0,
    cancelled: 0,
    stepLimit: 0,
    budget: 0,
    inputTokens: 0,
    outputTokens: 0,
    costMicros: 0,
    unpriced: 0,
    costs: {},
  });
  const habitOf = (agentId: string, messages: readonly MessageSums[], runs: readonly RunSums[] = []) =>
    agentFigures(messages, runs).find((figure) => figure.agentId === agentId)?.habit;
  const both = (requests: Partial<MessageSums>, responses: Partial<MessageSums>) => [
    asks("a", "b", requests),
    asks("b", "a", responses),
  ];

  it("of never answering is whose asks came to nothing, not whose asks were refused or are open", () => {
    expect(habitOf("b", both({ requests: 8 }, { responses: 8, responseTimeout: 8 }))).toBe("never_answers");
    expect(
      habitOf("b", both({ requests: 8, requestDenied: 8 }, { responses: 8, responseDenied: 8 })),
    ).toBeNull();
    expect(habitOf("b", both({ requests: 8 }, { responses: 2, responseTimeout: 2 }))).toBeNull();
  });

  it("of only asking is nobody's to whom people turn", () => {
    const answered = both({ requests: 12 }, { responses: 12 });
    expect(habitOf("a", answered, [runsOf("a", "schedule")])).toBe("only_asks");
    expect(habitOf("a", answered, [runsOf("a", "schedule"), runsOf("a", "email")])).toBeNull();
    const refused = both({ requests: 12, requestDenied: 12 }, { responses: 12, responseDenied: 12 });
    expect(habitOf("a", refused)).toBeNull();
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

const run = (runId: string, over: Partial<ChainRun> = {}): ChainRun => ({
  rootRunId: "root",
  runId,
  parentRunId: null,
  agentId: "a",
  trigger: "task",
  model: "m",
  status: "completed",
  costMicros: 100,
  startedAt: iso(EPOCH),
  finishedAt: iso(EPOCH + 1_000),
  ...over,
});

const rows = (runs: readonly ChainRun[]) => ({ runs, messages: [], cut: false });

/** The message by which a run gives a task. */
const order = (id: number, runId: string, to: string): ChainMessage => ({
  id,
  runId,
  to,
  from: "",
  rootRunId: "root",
  pairKey: "",
  channel: "task",
  direction: "request",
  at: iso(EPOCH),
});

describe("a chain", () => {
  it("has the depth, the failures and the cost of its runs", () => {
    const runs = [
      run("root", { trigger: "chat", costMicros: 300 }),
      run("b", { parentRunId: "root", status: "failed", costMicros: null }),
      run("c", { parentRunId: "b", status: "cancelled" }),
    ];
    expect(factsOf("root", rows(runs))).toMatchObject({
      trigger: "chat",
      runs: 3,
      failedRuns: 1,
      depth: 3,
      costMicros: 400,
      unpriced: 1,
      byDepth: "[[1,0],[1,1],[1,0]]",
    });
  });

  /** Handed on from one to the next: r0 to a1, a1 to a2, ... */
  const handedOn = (length: number, last: Partial<ChainRun> = {}) => ({
    runs: Array.from({ length }, (_, n) =>
      run(`r${n}`, {
        parentRunId: n === 0 ? null : `r${n - 1}`,
        agentId: `a${n}`,
        ...(n === length - 1 ? last : {}),
      }),
    ),
    messages: Array.from({ length: length - 1 }, (_, n) => order(n, `r${n}`, `a${n + 1}`)),
  });

  it("fails deep when work was handed on that far and failed there, not when a question on the way did", () => {
    const way = handedOn(5);
    const ask = run("q", { parentRunId: "r4", trigger: "ask", status: "failed" });
    expect(factsOf("root", { ...way, runs: [...way.runs, ask], cut: false })).toMatchObject({
      deepFailed: 0,
      depth: 6,
      agents: '["a0","a1","a2","a3","a4","a"]',
    });
    expect(factsOf("root", { ...handedOn(5, { status: "timeout" }), cut: false })).toMatchObject({
      deepFailed: 5,
    });
    expect(factsOf("root", { ...handedOn(4, { status: "timeout" }), cut: false })).toMatchObject({
      deepFailed: 0,
    });
  });

  it("is not deep when one agent gives one task after the other and is woken by each result", () => {
    const runs = [run("p0", { agentId: "planner", trigger: "chat" })];
    const messages: ChainMessage[] = [];
    for (let n = 0; n < 5; n += 1) {
      messages.push(order(n, `p${n}`, `worker${n}`));
      runs.push(
        run(`w${n}`, {
          agentId: `worker${n}`,
          parentRunId: `p${n}`,
          status: n === 4 ? "failed" : "completed",
        }),
        run(`p${n + 1}`, { agentId: "planner", parentRunId: `w${n}`, status: "failed" }),
      );
    }
    expect(factsOf("root", { runs, messages, cut: false })).toMatchObject({ depth: 11, deepFailed: 0 });
  });

  it("of which not all runs were read has no known price", () => {
    expect(factsOf("root", { ...rows([run("root")]), cut: true })).toMatchObject({
      unpriced: 1,
      costMicros: 100,
    });
  });

  it("leaves the sums as they were when it is added and taken out again", () => {
    const facts = (n: number) =>
      factsOf(
        `root${n}`,
        rows([
          run(`r${n}`, {
            costMicros: n % 3 === 0 ? null : n * 1_000,
            status: n % 2 === 0 ? "failed" : "completed",
          }),
        ]),
      );
    const some = [1, 2, 3, 4].flatMap((n): ChainFacts[] => [facts(n)].filter((each) => each !== null));
    const three = some.slice(0, 3).reduce(addChain, NO_CHAINS);
    const [last] = some.slice(3);
    if (last === undefined) throw new Error("no chain");
    expect(takeChain(addChain(three, last), last)).toEqual(three);
    expect(three).toMatchObject({ chains: 3, failed: 1, unpriced: 1, micros: 3_000, pricedRuns: 2 });
  });

  it("that leaves the dearest twenty gives its place to the next dearest", () => {
    const facts = (n: number) => factsOf(`root${n}`, rows([run(`r${n}`, { costMicros: n * 1_000 })]));
    const some = Array.from({ length: 30 }, (_, n) => facts(n + 1)).filter((each) => each !== null);
    const all = some.reduce(addChain, NO_CHAINS);
    const [dearest] = some.slice(-1);
    if (dearest === undefined) throw new Error("no chain");
    const left = takeChain(all, dearest).dear.slice(0, 20);
    expect([left.length, left[0]?.[1], left[19]?.[1]]).toEqual([20, "root29", "root10"]);
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
    // As long, whether it is seen alone or among many others.
    expect(surprisingExchanges(turns("ab".repeat(9), 60_000))).toEqual([]);
    expect(surprisingExchanges(turns(`${"aab".repeat(9_000)}${"ab".repeat(10)}`, 60_000))).toHaveLength(1);
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
