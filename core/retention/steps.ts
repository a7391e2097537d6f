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
  oldTicks,
  type Select,
} from "./old-rows.ts";
import { oldTaskEvents, oldTasks, type SelectOfTasks } from "./old-tasks.ts";
import { retain } from "./retain.ts";
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
];

/** A task without its events is an orphan for a minute at most; events without their task would be for ever. */
const OF_TASKS: readonly { readonly table: KeptTable; readonly select: SelectOfTasks }[] = [
  { table: TASK_EVENTS, select: oldTaskEvents },
  { table: TASKS, select: oldTasks },
];

const DAY_MS = 86_400_000;
/** Batches of each table in one minute: together they stay below the queries that one invocation may make. */
const BATCHES = 5;

export interface RetentionOptions {
  /** Whether the look at every job is made. */
  readonly surplus: boolean;
  /** Told of old rows that nothing gets past, for a person who can do something about it. */
  tell(text: string): void;
}

/** Steps of one minute of the night. */
export function retentionSteps(
  instance: InstanceConfig,
  now: number,
  { surplus, tell }: RetentionOptions,
): RetentionStep[] {
  const archives = (kind: KeptKind) => instance.archive?.tables.includes(kind) ?? false;
  const kept = (kind: KeptKind) => daysKept(instance, kind) > 0;
  const step = ({ kind, table, select, mirrored = false }: ByAge): RetentionStep => {
    const before = new Date(now - daysKept(instance, kind) * DAY_MS).toISOString();
    return {
      name: table.name,
      mirrored,
      run: (stores) =>
        retain(stores, {
          ...{ table, archive: archives(kind), batches: BATCHES },
          select: (limit) => select(stores.db, before, limit),
        }),
    };
  };
  const tasks = OF_TASKS.map(
    ({ table, select }): ByAge => ({ kind: "tasks", table, select: toldSelect(select, tell) }),
  );
  const aged = [...BY_AGE, ...tasks].map((each) => step(kept(each.kind) ? each : { ...each, select: none }));
  const tooMany = step({ kind: "ticks", table: TICKS, select: surplusOnly });
  return [...aged, ...(surplus ? [{ ...tooMany, name: SURPLUS_STEP }] : [])];
}

/** Of what is kept for ever only a part that was begun before is ended. */
const none: Select = async () => [];

export const SURPLUS_STEP = `${TICKS.name} by number`;
const surplusOnly: Select = (db, _before, limit) => surplusTicks(db, KEPT_TICKS, limit);

function toldSelect(select: SelectOfTasks, tell: RetentionOptions["tell"]): Select {
  return async (db, before, limit) => {
    const { rows, held } = await select(db, before, limit);
    if (held)
      tell("Old tasks are kept since each belongs to a chain with an unfinished one; close blocked tasks");
    return rows;
  };
}
