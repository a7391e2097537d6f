import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { analyse } from "../../core/analysis/analyse.ts";
import { checkStep } from "../../core/analysis/check-rollups.ts";
import type { Finding } from "../../core/analysis/finding.ts";
import { readFindings } from "../../core/analysis/findings.ts";
import { rebuildStep } from "../../core/analysis/rebuild.ts";
import { ROLLUP_TRIGGERS } from "../../core/analysis/rollup-sql.ts";
import { readStats } from "../../core/analysis/stats.ts";
import { createReader } from "../../core/record/reader.ts";
import { DAYS, makeCorpus, type PlantedCorpus } from "../support/analysis/corpus.ts";
import { loadCorpus } from "../support/analysis/load-corpus.ts";
import { type Score, scoreOf } from "../support/analysis/score.ts";
import { FRESH_TOPICS } from "../support/analysis/topics-fresh.ts";
import { HELD_OUT_TOPICS } from "../support/analysis/topics-held-out.ts";
import { walk } from "../support/analysis/upkeep.ts";

const DAY_MS = 86_400_000;
const noModel = async () => null;

/** The first corpus is large. */
const HELD_OUT = [
  { seed: 1_001, messages: 50_000, start: Date.parse("2025-01-01T00:00:00Z") },
  { seed: 2_002, messages: 4_000, start: Date.parse("2025-06-01T00:00:00Z") },
].map((plan) => ({ ...plan, topics: HELD_OUT_TOPICS }));
/** Wordings and names that came after the comparison's words and rules. */
const FRESH = [{ seed: 4_004, messages: 4_000, start: Date.parse("2026-01-01T00:00:00Z") }].map((plan) => ({
  ...plan,
  topics: FRESH_TOPICS,
}));
const PLANS = [...HELD_OUT, ...FRESH];

/** Below what was measured; the rest is missed, see docs/analysis.md. */
const HELD_OUT_COVERAGE = 0.85;
const FRESH_COVERAGE = 0.6;

const corpora = new Map<number, PlantedCorpus>();

/** The last one is counted as it is written, the others by a rebuild, which is cheaper by far. */
beforeAll(async () => {
  for (const plan of PLANS) corpora.set(plan.seed, makeCorpus(plan));
  const [last, ...others] = [...corpora.values()].reverse();
  if (last === undefined) throw new Error("no corpus");
  await env.DB.batch(Object.keys(ROLLUP_TRIGGERS).map((name) => env.DB.prepare(`DROP TRIGGER "${name}"`)));
  for (const corpus of others) await loadCorpus(env.DB, corpus);
  await env.DB.batch(Object.values(ROLLUP_TRIGGERS).map((sql) => env.DB.prepare(sql)));
  // What a former look took for an exchange goes with a rebuild.
  await env.DB.prepare(
    `INSERT INTO "PingPongs" SELECT "Id", "PairKey", 60, "OccurredAt", "OccurredAt", '[]' FROM "AgentMessages" ORDER BY "Id" LIMIT 1`,
  ).run();
  await walk((cursor) => rebuildStep({ db: env.DB, reader: createReader(env.DB) }, cursor));
  await loadCorpus(env.DB, last);
  await analyse({ db: env.DB, reader: createReader(env.DB), embed: noModel }, 10_000);
}, 300_000);

function corpusOf(seed: number) {
  const corpus = corpora.get(seed);
  const plan = PLANS.find((each) => each.seed === seed);
  if (corpus === undefined || plan === undefined) throw new Error(`no corpus of seed ${seed}`);
  const period = {
    since: new Date(plan.start).toISOString(),
    until: new Date(plan.start + DAYS * DAY_MS - 1).toISOString(),
  };
  return { corpus, period, clock: { now: corpus.end, siltedAfterHours: 48 } };
}

async function scored(seed: number, annotate: (message: string) => Promise<unknown>): Promise<Score> {
  const { corpus, period, clock } = corpusOf(seed);
  const result = await readFindings(createReader(env.DB), period, clock);
  if (!result.ok) throw new Error(result.problem.code);
  // Tasks lie until somebody sees to them, those of former corpora too.
  const own = new Set(corpus.tasks.map(({ taskId }) => taskId));
  const found = result.findings.findings.filter(({ taskId }) => taskId === null || own.has(taskId));
  const rows = await rowsOf(found.flatMap(({ messageIds }) => messageIds));
  expectLinks(found, rows);
  const score = scoreOf(found, corpus.planted, (id) => rows.get(id)?.uid ?? "");
  const { recall, precision, coverage, planted, findings } = score;
  await annotate(
    `seed ${seed}, ${corpus.messages.length} messages: recall ${recall.toFixed(3)} of ${planted} planted, precision ${precision.toFixed(3)} of ${findings} findings, ${coverage.toFixed(3)} of the repeated questions counted`,
  );
  return score;
}

/** Each finding leads to something, and one about failures to messages that came to nothing, in its direction. */
function expectLinks(found: readonly Finding[], rows: ReadonlyMap<number, LinkedRow>): void {
  expect(found.filter(({ messageIds, rootRunIds }) => messageIds.length + rootRunIds.length === 0)).toEqual(
    [],
  );
  for (const { id, code, agents, messageIds } of found.filter((each) => each.code.startsWith("failing_"))) {
    const linked = messageIds.flatMap((messageId) => rows.get(messageId) ?? []);
    expect({
      id,
      some: linked.length > 0,
      delivered: linked.filter(({ status }) => status === "delivered"),
    }).toEqual({
      id,
      some: true,
      delivered: [],
    });
    // An ask counts by its answer.
    if (code === "failing_pair")
      expect({ id, others: linked.filter(({ fromAgentId }) => fromAgentId !== agents[1]) }).toEqual({
        id,
        others: [],
      });
  }
}

describe("what was planted in a corpus of other seeds and questions", () => {
  it.for(HELD_OUT.map(({ seed, messages }) => [seed, messages] as const))(
    "is found and nothing else, seed %i with %i messages",
    async ([seed], { annotate }) => {
      const { missed, wrong, coverage } = await scored(seed, annotate);
      expect({ missed, wrong }).toEqual({ missed: [], wrong: [] });
      expect(coverage).toBeGreaterThanOrEqual(HELD_OUT_COVERAGE);
    },
  );

  it.for(FRESH.map(({ seed, messages }) => [seed, messages] as const))(
    "is found, with fewer of its questions, in wordings that nothing was made for, seed %i with %i messages",
    async ([seed], { annotate }) => {
      const { missed, wrong, coverage } = await scored(seed, annotate);
      expect({ missed, wrong }).toEqual({ missed: [], wrong: [] });
      expect(coverage).toBeGreaterThanOrEqual(FRESH_COVERAGE);
    },
  );
});

describe("figures of the corpus", () => {
  it("are the sums of its rows", async () => {
    const { corpus, period, clock } = corpusOf(2_002);
    const result = await readStats(createReader(env.DB), period, clock);
    if (!result.ok) throw new Error(result.problem.code);
    const { stats } = result;
    const priced = corpus.receipts.filter(({ costMicros }) => costMicros !== null);
    expect(stats.messages.messages).toBe(corpus.messages.length);
    expect(stats.messages.delivered).toBe(
      corpus.messages.filter(({ status }) => status === "delivered").length,
    );
    expect(stats.byAgent.reduce((sum, { runs }) => sum + runs, 0)).toBe(corpus.receipts.length);
    expect(stats.byAgent.find(({ agentId }) => agentId === "ops")).toMatchObject({ costUsd: null });
    expect(stats.chains.costUsd.sum).toBeCloseTo(
      priced.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0) / 1e6,
      6,
    );
    expect(stats.delegations).toMatchObject({
      total: corpus.tasks.length,
      result: corpus.tasks.filter(({ status }) => status === "done").length,
      cancelled: corpus.tasks.filter(({ status }) => status === "cancelled").length,
      silted: 5,
      open: 5,
      unknown: 0,
    });
  });

  it("tell medians and percentiles within five per cent", async () => {
    const { corpus, period, clock } = corpusOf(2_002);
    const result = await readStats(createReader(env.DB), period, clock);
    const sent = new Map(corpus.messages.map(({ uid, occurredAt }) => [uid, Date.parse(occurredAt)]));
    const waited = corpus.messages
      .filter(
        ({ channel, direction, status }) =>
          channel === "ask" && direction === "response" && status === "delivered",
      )
      .map(
        ({ uid, occurredAt }) =>
          Date.parse(occurredAt) - (sent.get(uid.replace(/response$/, "request")) ?? 0),
      )
      .sort((a, b) => a - b);
    const exact = (share: number) => waited[Math.ceil(waited.length * share) - 1] ?? 0;
    const answerMs = result.ok ? result.stats.answerMs : null;
    expect(answerMs?.count).toBe(waited.length);
    expect(Math.abs((answerMs?.median ?? 0) / exact(0.5) - 1)).toBeLessThan(0.05);
    expect(Math.abs((answerMs?.p95 ?? 0) / exact(0.95) - 1)).toBeLessThan(0.05);
  });

  it("agree with the rows, day by day and chain by chain", async () => {
    const differences = [];
    for (let cursor: string | null = null, done = false; !done; ) {
      const step = await checkStep(createReader(env.DB), cursor);
      if (step === null) throw new Error("bad cursor");
      differences.push(...step.differences);
      ({ cursor, done } = step);
    }
    expect(differences).toEqual([]);
  });
});

interface LinkedRow {
  readonly id: number;
  readonly uid: string;
  readonly fromAgentId: string;
  readonly status: string;
}

async function rowsOf(ids: readonly number[]): Promise<ReadonlyMap<number, LinkedRow>> {
  const { results } = await env.DB.prepare(
    `SELECT "Id" AS id, "Uid" AS uid, "FromAgentId" AS fromAgentId, "Status" AS status FROM "AgentMessages" WHERE "Id" IN (SELECT "value" FROM json_each(?))`,
  )
    .bind(JSON.stringify(ids))
    .all<LinkedRow>();
  return new Map(results.map((row) => [row.id, row]));
}
