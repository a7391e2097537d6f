/**
 * Two looks at the analysis that take longer than a test may:
 *
 *   npx node bench/analysis.mjs --seed 7 --messages 50000    precision and recall on a corpus of that seed;
 *                                                            with --fresh in wordings that nothing was made for
 *   npx node bench/analysis.mjs --rows 1000000               rows read per question at that many messages
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { getPlatformProxy } from "wrangler";
import { analyse } from "../core/analysis/analyse.ts";
import { readFindings } from "../core/analysis/findings.ts";
import { readStats } from "../core/analysis/stats.ts";
import { chainOf } from "../core/record/chain-of.ts";
import { listMessages } from "../core/record/list-messages.ts";
import { listPairs } from "../core/record/list-pairs.ts";
import { createReader } from "../core/record/reader.ts";
import { makeCorpus } from "../test/support/analysis/corpus.ts";
import { loadCorpus } from "../test/support/analysis/load-corpus.ts";
import { scoreOf } from "../test/support/analysis/score.ts";
import { FRESH_TOPICS } from "../test/support/analysis/topics-fresh.ts";
import { HELD_OUT_TOPICS } from "../test/support/analysis/topics-held-out.ts";
import { FILL, fillValues } from "../test/support/record-fill.ts";

const MIGRATIONS = new URL("../migrations/", import.meta.url);
const PAIRS = ["anna|bert", "anna|carl", "bert|carl", "carl|dora", "anna|dora"];
const CHUNK = 5_000;

const say = (text) => process.stdout.write(`${text}\n`);

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "7" },
    messages: { type: "string", default: "50000" },
    rows: { type: "string" },
    fresh: { type: "boolean", default: false },
  },
});

// In memory a million messages with their search index would be several gigabytes.
const state = mkdtempSync(join(tmpdir(), "parley-analysis-"));
const { env, dispose } = await getPlatformProxy({
  configPath: new URL("analysis/wrangler.toml", import.meta.url).pathname,
  persist: { path: state },
});
try {
  await migrate(env.DB);
  await (values.rows === undefined ? score(env.DB) : rows(env.DB, Number(values.rows)));
} finally {
  await dispose();
  rmSync(state, { recursive: true, force: true });
}

async function migrate(db) {
  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
  for (const file of files.sort())
    for (const statement of statements(readFileSync(new URL(file, MIGRATIONS), "utf8")))
      await db.prepare(statement).run();
}

/** At semicolons that end a line, but not those within a trigger. */
function statements(sql) {
  const parts = sql
    .split(/--> statement-breakpoint/)
    .flatMap((part) => (/CREATE TRIGGER/.test(part) ? [part] : part.split(/;\s*(?=\n|$)/)));
  return parts.filter((part) => part.replace(/--[^\n]*/g, "").trim() !== "");
}

function catchUp(db) {
  return analyse({ db, reader: createReader(db), embed: async () => null }, 100_000);
}

async function score(db) {
  const seed = Number(values.seed);
  const corpus = makeCorpus({
    seed,
    messages: Number(values.messages),
    start: Date.parse("2025-01-01T00:00:00Z"),
    topics: values.fresh ? FRESH_TOPICS : HELD_OUT_TOPICS,
  });
  await loadCorpus(db, corpus);
  await catchUp(db);
  const { findings } = await readFindings(createReader(db), {}, { now: corpus.end, siltedAfterHours: 48 });
  const { results } = await db.prepare(`SELECT "Id" AS id, "Uid" AS uid FROM "AgentMessages"`).all();
  const uids = new Map(results.map(({ id, uid }) => [id, uid]));
  const told = scoreOf(findings.findings, corpus.planted, (id) => uids.get(id) ?? "");
  say(
    `seed ${seed}, ${corpus.messages.length} messages: recall ${told.recall.toFixed(3)} of ${told.planted} planted, precision ${told.precision.toFixed(3)} of ${told.findings} findings, ${told.coverage.toFixed(3)} of the repeated questions counted`,
  );
  for (const missed of told.missed) say(`  missed: ${missed}`);
  for (const wrong of told.wrong) say(`  wrong: ${wrong}`);
}

async function rows(db, count) {
  // The same ids must not come twice: each chunk has messages of its own time.
  for (const [index, pair] of PAIRS.entries())
    for (let done = 0; done < count / PAIRS.length; done += CHUNK) {
      const [, , a, b, start] = fillValues(pair, CHUNK);
      await db
        .prepare(
          FILL.replaceAll("?2 || i", `'${done}:' || ?2 || i`).replaceAll(
            "'root-' ||",
            `'root-${index}-${done}-' ||`,
          ),
        )
        .bind(CHUNK, pair, a, b, start + done * 1_000 + index)
        .run();
    }
  await catchUp(db);
  const clock = { now: Date.parse("2026-12-01T00:00:00Z"), siltedAfterHours: 48 };
  const october = { since: "2026-10-01", until: "2026-10-31" };
  const questions = {
    list_pairs: (reader) => listPairs(reader, {}),
    stats: (reader) => readStats(reader, {}, clock),
    "stats of a month": (reader) => readStats(reader, october, clock),
    findings: (reader) => readFindings(reader, {}, clock),
    "first page": (reader) => listMessages(reader, { a: "anna", b: "bert" }),
    search: (reader) => listMessages(reader, { q: "erledigt" }),
    chain: (reader) => chainOf(reader, "root-0-0-7"),
  };
  const total = await db.prepare(`SELECT count(*) AS count FROM "AgentMessages"`).first();
  say(`${total.count} messages`);
  for (const [name, ask] of Object.entries(questions)) {
    const reader = createReader(db);
    await ask(reader);
    say(`  ${name}: ${reader.rowsRead} rows read`);
  }
}
