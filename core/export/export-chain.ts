/** A chain as one JSON document: everything that is on record of it, with all texts whole, in pieces as they are read. */
import { archivedChain } from "../archive/read-archive.ts";
import { wholeTask } from "../board/long-fields.ts";
import { taskEvents, tasks } from "../board/schema.ts";
import type { TaskRow } from "../board/task.ts";
import { taskView } from "../board/view.ts";
import type { SelectedMessage } from "../record/message-view.ts";
import type { Reader } from "../record/reader.ts";
import type { ReceiptRow } from "../record/rows.ts";
import { receiptView } from "../record/run-view.ts";
import { agentMessages, approvals, auditLog, notices, runReceipts } from "../record/schema.ts";
import { chainRows, namedRows } from "./chain-rows.ts";

export interface ExportedChain {
  readonly reader: Reader;
  readonly texts: R2Bucket;
  readonly rootRunId: string;
  /** ISO 8601. */
  readonly exportedAt: string;
  /** As the chain's object knows them; none when it has forgotten them. */
  readonly runs: readonly { readonly runId: string }[];
}

/** Whether anything is on record of it, or in the archive. Rejects when D1 does. */
export async function isOnRecord(reader: Reader, rootRunId: string): Promise<boolean> {
  const row = await reader.first<{ known: number }>(
    `SELECT EXISTS (SELECT 1 FROM "AgentMessages" WHERE "RootRunId" = ?1)
       OR EXISTS (SELECT 1 FROM "RunReceipts" WHERE "RootRunId" = ?1)
       OR EXISTS (SELECT 1 FROM "Tasks" WHERE "RootRunId" = ?1)
       OR EXISTS (SELECT 1 FROM "ArchiveIndex" WHERE "Name" = ?1) AS "known"`,
    rootRunId,
  );
  return row?.known === 1;
}

const OF_CHAIN = `t."RootRunId" = ?`;
const OF_TASKS = `t."TaskId" IN (SELECT value FROM json_each(?))`;
/** An approval's id begins with its run's; `;` is the character after `:`. */
const OF_RUNS = `t."Uid" IN (SELECT a."Uid" FROM json_each(?) r JOIN "Approvals" a
  ON a."Uid" > r.value || ':' AND a."Uid" < r.value || ';')`;

/** Rejects in the middle when D1 or R2 does: what came until then is no JSON, so nobody takes it for the whole. */
export async function* exportChain(chain: ExportedChain): AsyncGenerator<string> {
  const { reader, texts, rootRunId, exportedAt, runs } = chain;
  const archived = await archivedChain({ reader, texts }, rootRunId);
  const runIds = new Set(runs.map(({ runId }) => runId));
  const taskIds: string[] = [];
  yield `${JSON.stringify({ rootRunId, exportedAt, complete: archived?.whole ?? true, runs }).slice(0, -1)}`;
  yield* list(
    "receipts",
    both(archived?.receipts, chainRows<ReceiptRow>(reader, runReceipts, OF_CHAIN, rootRunId)),
    async (row) => {
      runIds.add(row.runId);
      return receiptView(row);
    },
  );
  yield* list("audit", both(archived?.audit, chainRows(reader, auditLog, OF_CHAIN, rootRunId)), whole);
  yield* list(
    "messages",
    both(archived?.messages, chainRows<SelectedMessage>(reader, agentMessages, OF_CHAIN, rootRunId)),
    (row) => wholeMessage(texts, row),
  );
  yield* list(
    "tasks",
    both(archived?.tasks, chainRows<TaskRow>(reader, tasks, OF_CHAIN, rootRunId)),
    async (row) => {
      taskIds.push(row.taskId);
      return taskView(await wholeTask(texts, row));
    },
  );
  yield* list("taskEvents", namedRows(reader, taskEvents, OF_TASKS, taskIds), whole);
  yield* list("approvals", namedRows(reader, approvals, OF_RUNS, [...runIds]), whole);
  yield* list("notices", chainRows(reader, notices, OF_CHAIN, rootRunId), whole);
  yield "}\n";
}

async function* both<Row>(
  archived: readonly Row[] | undefined,
  kept: AsyncGenerator<Row>,
): AsyncGenerator<Row> {
  yield* archived ?? [];
  yield* kept;
}

async function* list<Row>(
  name: string,
  rows: AsyncGenerator<Row>,
  shown: (row: Row) => Promise<unknown>,
): AsyncGenerator<string> {
  yield `,\n${JSON.stringify(name)}:[`;
  let between = "\n";
  for await (const row of rows) {
    yield between + JSON.stringify(await shown(row));
    between = ",\n";
  }
  yield "]";
}

const whole = async (row: unknown): Promise<unknown> => row;

/** `truncated` only when its text in R2 is gone. */
async function wholeMessage(texts: R2Bucket, { contentRef, ...message }: SelectedMessage) {
  if (contentRef === null) return { ...message, truncated: false };
  const stored = await texts.get(contentRef);
  return stored === null
    ? { ...message, truncated: true }
    : { ...message, content: await stored.text(), truncated: false };
}
