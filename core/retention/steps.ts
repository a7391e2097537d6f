/** What a night's retention consists of, from the instance's document. */
import type { ArchiveStores } from "../archive/archive-rows.ts";
import type { InstanceConfig } from "../config/instance.ts";
import { daysKept, type KeptKind } from "../config/retention.ts";
import { KEPT_TICKS } from "../limits.ts";
import {
  APPROVALS,
  AUDIT,
  type KeptTable,
  LOGS,
  MESSAGES,
  NOTICES,
  RECEIPTS,
  TASK_EVENTS,
  TASKS,
  TICKS,
} from "./kept-tables.ts";
import {
  oldApprovals,
  oldAudit,
  oldLogs,
  oldMessages,
  oldNotices,
  oldReceipts,
  oldTaskEvents,
  oldTasks,
  oldTicks,
  type Select,
} from "./old-rows.ts";
import { type Retention, retain } from "./retain.ts";
import { surplusTicks } from "./surplus-ticks.ts";

export interface RetentionStep {
  /** For the log. */
  readonly name: string;
  /** The record's three tables wait for the mirror. */
  readonly mirrored: boolean;
  /** Answers how many rows have gone. */
  run(stores: ArchiveStores): Promise<number>;
}

interface ByAge {
  readonly kind: KeptKind;
  readonly table: KeptTable;
  readonly select: Select;
  readonly mirrored?: boolean;
}

const BY_AGE: readonly ByAge[] = [
  { kind: "messages", table: MESSAGES, select: oldMessages, mirrored: true },
  { kind: "audit", table: AUDIT, select: oldAudit, mirrored: true },
  { kind: "receipts", table: RECEIPTS, select: oldReceipts, mirrored: true },
  { kind: "notices", table: NOTICES, select: oldNotices },
  { kind: "approvals", table: APPROVALS, select: oldApprovals },
  { kind: "ticks", table: TICKS, select: oldTicks },
  { kind: "logs", table: LOGS, select: oldLogs },
  // A task without its events is an orphan for a minute at most; events without their task would be for ever.
  { kind: "tasks", table: TASK_EVENTS, select: oldTaskEvents },
  { kind: "tasks", table: TASKS, select: oldTasks },
];

const DAY_MS = 86_400_000;
/** Batches of each table in one minute: together they stay below the queries that one invocation may make. */
const BATCHES = 5;

/** Steps of one minute of the night, of what is not kept for ever. `surplus`: the look at every job, once a night. */
export function retentionSteps(
  instance: InstanceConfig,
  now: number,
  { surplus }: { readonly surplus: boolean },
): RetentionStep[] {
  const archives = (kind: KeptKind) => instance.archive?.tables.includes(kind) ?? false;
  const step = (table: KeptTable, kind: KeptKind, select: Retention["select"]) => (stores: ArchiveStores) =>
    retain(stores, { table, select, archive: archives(kind), batches: BATCHES });
  const aged = BY_AGE.filter(({ kind }) => daysKept(instance, kind) > 0).map(
    ({ kind, table, select, mirrored = false }) => {
      const before = new Date(now - daysKept(instance, kind) * DAY_MS).toISOString();
      return {
        name: table.name,
        mirrored,
        run: (stores: ArchiveStores) =>
          step(table, kind, (limit) => select(stores.db, before, limit))(stores),
      };
    },
  );
  const tooMany = {
    name: `${TICKS.name} by number`,
    mirrored: false,
    run: (stores: ArchiveStores) =>
      step(TICKS, "ticks", (limit) => surplusTicks(stores.db, KEPT_TICKS, limit))(stores),
  };
  return surplus ? [...aged, tooMany] : aged;
}
