/** A chain as one JSON document: everything that is on record of it, with all texts whole, in pieces as they are read. */
import { wholeTask } from "../board/long-fields.ts";
import { taskEvents, tasks } from "../board/schema.ts";
import type { TaskRow } from "../board/task.ts";
import { taskView } from "../board/view.ts";
import { MAX_MEMBERS } from "../chain/members.ts";
import type { InstanceConfig } from "../config/instance.ts";
import type { SelectedMessage } from "../record/message-view.ts";
import type { Reader } from "../record/reader.ts";
import type { ReceiptRow } from "../record/rows.ts";
import { receiptView } from "../record/run-view.ts";
import { agentMessages, approvals, auditLog, notices, runReceipts } from "../record/schema.ts";
import {
  APPROVALS,
  AUDIT,
  MESSAGES,
  NOTICES,
  RECEIPTS,
  TASK_EVENTS,
  TASKS,
} from "../retention/kept-tables.ts";
import { type ArchivedParts, archivedParts, archivedRows, isArchivedChain } from "./archived-rows.ts";
import { chainRows, namedRows } from "./chain-rows.ts";
import { deletedKinds } from "./deleted-kinds.ts";

export interface ExportedChain {
  readonly reader: Reader;
  readonly texts: R2Bucket;
  readonly rootRunId: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** As the chain's object knows them; none when it has forgotten them. */
  readonly runs: readonly { readonly runId: string }[];
  readonly instance: InstanceConfig | null;
}

/** Whether anything is on record of it, or in the archive. Rejects when D1 does, or R2 where it has to look there. */
export async function isOnRecord(
  stores: { readonly reader: Reader; readonly texts: R2Bucket },
  rootRunId: string,
): Promise<boolean> {
  const row = await stores.reader.first<{ known: number }>(
    `SELECT EXISTS (SELECT 1 FROM "AgentMessages" WHERE "RootRunId" = ?1)
       OR EXISTS (SELECT 1 FROM "RunReceipts" WHERE "RootRunId" = ?1)
       OR EXISTS (SELECT 1 FROM "Tasks" WHERE "RootRunId" = ?1) AS "known"`,
    rootRunId,
  );
  return row?.known === 1 || isArchivedChain(stores, rootRunId);
}

const OF_CHAIN = `t."RootRunId" = ?`;
const OF_TASKS = `t."TaskId" IN (SELECT value FROM json_each(?))`;
/** An approval's id begins with its run's; `;` is the character after `:`. */
const OF_RUNS = `t."Uid" IN (SELECT a."Uid" FROM json_each(?) r JOIN "Approvals" a
  ON a."Uid" > r.value || ':' AND a."Uid" < r.value || ';')`;

/** Rejects in the middle when D1 or R2 does: what came until then is no JSON, so nobody takes it for the whole. */
export async function* exportChain(chain: ExportedChain): AsyncGenerator<string> {
  const { reader, texts, rootRunId, runs, now } = chain;
  const found = await archivedParts(reader, rootRunId);
  const archived = <Row extends { readonly rootRunId: string | null }>(table: string) =>
    archivedRows<Row>(texts, found, { table, rootRunId });
  const ofChain = { where: OF_CHAIN, param: rootRunId };
  const runIds = new Set(runs.map(({ runId }) => runId));
  const taskIds: string[] = [];
  const since = earliest();
  const exportedAt = new Date(now).toISOString();
  yield `${JSON.stringify({ rootRunId, exportedAt, runs }).slice(0, -1)}`;
  yield* list(
    "receipts",
    both(archived<ReceiptRow>(RECEIPTS.name), chainRows<ReceiptRow>(reader, runReceipts, ofChain)),
    async (row) => {
      runIds.add(row.runId);
      since.note(row.startedAt);
      return receiptView(row);
    },
  );
  yield* list("audit", both(archived(AUDIT.name), chainRows(reader, auditLog, ofChain)), whole);
  yield* list(
    "messages",
    both(
      archived<SelectedMessage>(MESSAGES.name),
      chainRows<SelectedMessage>(reader, agentMessages, ofChain),
    ),
    (row) => {
      since.note(row.occurredAt);
      return wholeMessage(texts, row);
    },
  );
  yield* list(
    "tasks",
    both(archived<TaskRow>(TASKS.name), chainRows<TaskRow>(reader, tasks, ofChain)),
    async (row) => {
      taskIds.push(row.taskId);
      since.note(row.createdAt);
      return taskView(await wholeTask(texts, row));
    },
  );
  yield* list(
    "taskEvents",
    both(archived(TASK_EVENTS.name), namedRows(reader, taskEvents, { where: OF_TASKS, names: taskIds })),
    whole,
  );
  yield* list(
    "approvals",
    both(archived(APPROVALS.name), namedRows(reader, approvals, { where: OF_RUNS, names: [...runIds] })),
    whole,
  );
  yield* list("notices", both(archived(NOTICES.name), chainRows(reader, notices, ofChain)), whole);
  const mayLack = deletedKinds(chain.instance, { since: since.time(), now });
  const complete =
    runs.length < MAX_MEMBERS && mayLack.length === 0 && (await isStill(reader, rootRunId, found));
  yield `,\n${JSON.stringify({ complete, mayLack }).slice(1)}\n`;
}

/** Rows that went into the archive meanwhile may have been looked for in either place when they were in the other. */
async function isStill(reader: Reader, rootRunId: string, found: ArchivedParts): Promise<boolean> {
  return found.whole && JSON.stringify(await archivedParts(reader, rootRunId)) === JSON.stringify(found);
}

/** ISO 8601. */
function earliest() {
  let known: string | null = null;
  return {
    note: (time: string): void => {
      if (known === null || time < known) known = time;
    },
    time: (): string | null => known,
  };
}

async function* both<Row>(archived: AsyncGenerator<Row>, kept: AsyncGenerator<Row>): AsyncGenerator<Row> {
  yield* archived;
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
