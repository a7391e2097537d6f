import { describeError } from "../log.ts";
import { INSERT_ACT } from "../record/insert-statement.ts";
import type { NoticeRow } from "../record/rows.ts";
import type { ActRow } from "./act.ts";

/** Writes rows of the log of administration in one batch; what is there already stays. Rejects when D1 does. */
export async function writeActs(db: D1Database, acts: readonly ActRow[]): Promise<void> {
  if (acts.length === 0) return;
  const statement = db.prepare(INSERT_ACT.sql);
  await db.batch(acts.map((act) => statement.bind(...INSERT_ACT.bind({ ...act }))));
}

/** Whether D1 was there and would not take what a row says; the same again would fail again. */
export function isRefusedRow(error: unknown): boolean {
  return /SQLITE_(CONSTRAINT|TOOBIG|MISMATCH)|D1_TYPE_ERROR/.test(describeError(error));
}

/** What a person is told of an act that is missing from the log of administration. `now` in epoch milliseconds. */
export function refusedActNotice({ uid, actor, action, target, occurredAt }: ActRow, now: number): NoticeRow {
  return {
    uid: `act_unwritten:${uid}`,
    kind: "act_unwritten",
    text: `The log of administration lacks an act, since D1 refused its row: at ${occurredAt} ${actor} did ${action} to ${target}.`,
    rootRunId: null,
    agentId: null,
    occurredAt: new Date(now).toISOString(),
  };
}
