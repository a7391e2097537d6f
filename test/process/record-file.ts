import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";

const shape = z.array(z.object({ runId: z.string(), trigger: z.string(), finishedAt: z.string() }));
const taskShape = z.array(z.object({ taskId: z.string(), title: z.string(), status: z.string() }));
const counted = z.object({ n: z.number() });

export interface RecordFile {
  receipts(): z.infer<typeof shape>;
  /** How many asks are on record, answered or not. */
  asks(): number;
  /** In the order in which they were written. */
  tasks(): z.infer<typeof taskShape>;
  /** Runs that the taskboard has ordered and nobody has taken. */
  pendingOrders(): number;
  /** How many rows a table has. */
  rows(table: string): number;
  close(): void;
}

/** The instance's D1 as it lies on disk, read past the Worker: looking at it wakes no agent. */
export function openRecordFile(stateDir: string): RecordFile {
  const folder = join(stateDir, "v3", "d1", "miniflare-D1DatabaseObject");
  const name = readdirSync(folder).find((file) => /^[0-9a-f]{64}\.sqlite$/.test(file));
  if (name === undefined) throw new Error("The instance has no D1 yet.");
  const db = new DatabaseSync(join(folder, name), { readOnly: true, timeout: 30_000 });
  const receipts = db.prepare(
    'SELECT "RunId" AS runId, "Trigger" AS "trigger", "FinishedAt" AS finishedAt FROM "RunReceipts"',
  );
  const asks = db.prepare(
    `SELECT count(*) AS n FROM "AgentMessages" WHERE "Channel" = 'ask' AND "Direction" = 'request'`,
  );
  const tasks = db.prepare(
    'SELECT "TaskId" AS taskId, "Title" AS title, "Status" AS status FROM "Tasks" ORDER BY rowid',
  );
  const orders = db.prepare('SELECT count(*) AS n FROM "TaskWakes"');
  return {
    receipts: () => shape.parse(receipts.all()),
    asks: () => counted.parse(asks.get()).n,
    tasks: () => taskShape.parse(tasks.all()),
    pendingOrders: () => counted.parse(orders.get()).n,
    rows: (table) => counted.parse(db.prepare(`SELECT count(*) AS n FROM "${table}"`).get()).n,
    close: () => db.close(),
  };
}
