/** A running instance with sixty days of an office on record, troubles included, for the view of figures. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import { tasks } from "../../../core/board/schema.ts";
import { firstIdAt } from "../../../core/record/insert-statement.ts";
import { agentMessages, runReceipts } from "../../../core/record/schema.ts";
import type { Instance } from "../../../scripts/instance/instance.mjs";
import { type Scratch, startIn } from "../../process/instance.ts";
import { makeCorpus, STAFF } from "../../support/analysis/corpus.ts";
import type { Corpus } from "../../support/analysis/office.ts";
import { TUNED_TOPICS } from "../../support/analysis/topics-tuned.ts";
import { messageRow, receiptRow } from "../../support/record-rows.ts";
import { openRecord } from "./seed.ts";

export const HOSTILE = '<img src=x onerror="document.title=1"> \u202Egnp.exe\u202C <script>alert(1)</script>';
const DAY_MS = 86_400_000;
const NAMES: Readonly<Record<string, string>> = {
  clerk: "Front office",
  writer: "Editor",
  ops: "Operations",
  legal: "Legal counsel",
  support: "Support desk",
  payroll: "Payroll",
};

/** Starts the instance and waits until every chain on record is counted. */
export async function startWithFigures(scratch: Scratch): Promise<Instance> {
  const db = await openRecord(scratch.stateDir);
  seedOffice(db, Math.floor(Date.now() / DAY_MS) * DAY_MS);
  db.close();
  const configFile = join(dirname(scratch.configFile), "figures.json");
  writeFileSync(
    configFile,
    JSON.stringify({ instance: { id: "figures", timeZone: "UTC" }, agents: agents() }),
  );
  const instance = await startIn(scratch, { configFile });
  await counted(instance);
  return instance;
}

function agents() {
  return [...STAFF, "stranger"].map((agentId) => ({
    agentId,
    name: agentId === "stranger" ? HOSTILE : (NAMES[agentId] ?? agentId),
    description: `The ${agentId}.`,
    systemPrompt: `You are the ${agentId}.`,
    tools: {},
    model: { provider: "scripted", script: JSON.stringify({ rules: [{ when: {}, say: "Done." }] }) },
  }));
}

const pendingShape = z.object({ pending: z.number() });

/** The cron does not run here, and each answer counts some more. */
async function counted({ workerUrl, token }: Instance): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const response = await fetch(`${workerUrl}/api/stats`, { headers: { authorization: `Bearer ${token}` } });
    if (pendingShape.parse(await response.json()).pending === 0) return;
  }
  throw new Error("The analysis does not come to an end.");
}

/** @param today epoch milliseconds of today's midnight, UTC */
function seedOffice(db: DatabaseSync, today: number): void {
  const corpus = makeCorpus({ seed: 7, messages: 2_500, start: today - 59 * DAY_MS, topics: TUNED_TOPICS });
  addHostile(corpus, today - 2 * DAY_MS);
  insert(
    db,
    tasks,
    corpus.tasks.map((row) => ({ ...row, guard: 0 })),
  );
  insert(db, agentMessages, numbered(corpus));
  insert(db, runReceipts, corpus.receipts);
}

/** Asked the same hostile thing four times, by an agent with such a name, on a model with such a name. */
function addHostile({ messages, receipts }: Corpus, from: number): void {
  for (let index = 0; index < 4; index += 1) {
    const occurredAt = new Date(from + index * 3_600_000).toISOString();
    const runId = `stranger.hostile0000${index}`;
    const row = { runId, rootRunId: runId, occurredAt };
    const content = `${HOSTILE} Is the lighthouse painted already?`;
    messages.push(
      messageRow(`ask:hostile${index}:request`, {
        ...row,
        fromAgentId: "stranger",
        toAgentId: "writer",
        content,
      }),
      messageRow(`ask:hostile${index}:response`, {
        ...row,
        fromAgentId: "writer",
        toAgentId: "stranger",
        direction: "response",
        content: `Not on day ${index * 7}. ${HOSTILE}`,
      }),
    );
    receipts.push(
      receiptRow(runId, {
        agentId: "stranger",
        model: HOSTILE,
        startedAt: occurredAt,
        finishedAt: occurredAt,
      }),
    );
  }
}

function numbered({ messages }: Corpus) {
  const used = new Map<number, number>();
  return messages.map((row) => {
    const first = firstIdAt(row.occurredAt);
    const next = used.get(first) ?? 0;
    used.set(first, next + 1);
    return { ...row, id: first + next, contentRef: null };
  });
}

type Cells = Readonly<Record<string, string | number | null>>;

function insert(db: DatabaseSync, table: SQLiteTable, rows: readonly Cells[]): void {
  const columns = Object.entries(getTableColumns(table));
  const names = columns.map(([, { name }]) => `"${name}"`).join(", ");
  const values = columns.map((_, index) => `json_extract("value", '$[${index}]')`).join(", ");
  const list = rows.map((row) => columns.map(([key]) => row[key] ?? null));
  db.prepare(`INSERT INTO "${getTableName(table)}" (${names}) SELECT ${values} FROM json_each(?)`).run(
    JSON.stringify(list),
  );
}
