import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { analyse } from "../../core/analysis/analyse.ts";
import { checkStep } from "../../core/analysis/check-rollups.ts";
import { readFindings } from "../../core/analysis/findings.ts";
import { readStats } from "../../core/analysis/stats.ts";
import { createReader } from "../../core/record/reader.ts";
import { DAYS, makeCorpus, type PlantedCorpus } from "../support/analysis/corpus.ts";
import { loadCorpus } from "../support/analysis/load-corpus.ts";
import { scoreOf } from "../support/analysis/score.ts";
import { HELD_OUT_TOPICS } from "../support/analysis/topics-held-out.ts";

const DAY_MS = 86_400_000;
const noModel = async () => null;

/** Seeds, and questions, that nothing was tuned on: the first corpus is large. */
const PLANS = [
  { seed: 1_001, messages: 50_000, start: Date.parse("2025-01-01T00:00:00Z") },
  { seed: 2_002, messages: 4_000, start: Date.parse("2025-06-01T00:00:00Z") },
  { seed: 3_003, messages: 4_000, start: Date.parse("2025-10-01T00:00:00Z") },
].map((plan) => ({ ...plan, topics: HELD_OUT_TOPICS }));

const corpora = new Map<number, PlantedCorpus>();

beforeAll(async () => {
  for (const plan of PLANS) {
    const corpus = makeCorpus(plan);
    corpora.set(plan.seed, corpus);
    await loadCorpus(env.DB, corpus);
  }
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

describe("what was planted in a corpus that nothing was tuned on", () => {
  it.for(PLANS.map(({ seed, messages }) => [seed, messages] as const))(
    "is found and nothing else, seed %i with %i messages",
    async ([seed], { annotate }) => {
      const { corpus, period, clock } = corpusOf(seed);
      const result = await readFindings(createReader(env.DB), period, clock);
      if (!result.ok) throw new Error(result.problem.code);
      const uids = await uidsOf(result.findings.findings.flatMap(({ messageIds }) => messageIds));
      const score = scoreOf(result.findings.findings, corpus.planted, (id) => uids.get(id) ?? "");
      const { recall, precision, coverage, planted, findings } = score;
      await annotate(
        `seed ${seed}, ${corpus.messages.length} messages: recall ${recall.toFixed(3)} of ${planted} planted, precision ${precision.toFixed(3)} of ${findings} findings, ${coverage.toFixed(3)} of the repeated questions counted`,
      );
      expect({ missed: score.missed, wrong: score.wrong }).toEqual({ missed: [], wrong: [] });
      expect(coverage).toBeGreaterThanOrEqual(0.75);
    },
  );
});

describe("figures of the corpus", () => {
  it("are the sums of its rows", async () => {
    const { corpus, period, clock } = corpusOf(3_003);
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
    const { corpus, period, clock } = corpusOf(3_003);
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

async function uidsOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const { results } = await env.DB.prepare(
    `SELECT "Id" AS id, "Uid" AS uid FROM "AgentMessages" WHERE "Id" IN (SELECT "value" FROM json_each(?))`,
  )
    .bind(JSON.stringify(ids))
    .all<{ id: number; uid: string }>();
  return new Map(results.map(({ id, uid }) => [id, uid]));
}
