/** What an agent's object knows of its jobs: one row each. Callers make the transactions. */
import {
  type Database,
  first,
  int,
  intOrNull,
  ownJson,
  type Row,
  text,
  textOrNull,
} from "../journal/database.ts";
import type { TickCause } from "../record/vocabulary.ts";
import type { Plan } from "./job.ts";
import type { Tick } from "./view.ts";

/** A tick of a tool job that is under way. */
export interface OpenTick {
  readonly uid: string;
  readonly jobId: string;
  readonly cause: TickCause;
  readonly scheduledAt: number;
  readonly startedAt: number;
}

export interface JobRow {
  readonly jobId: string;
  readonly plan: Plan;
  /** When the plan came into force. */
  readonly armedAt: number;
  /** Ticks up to this one are dealt with; null before the first. It never goes back (L7). */
  readonly doneUpTo: number | null;
  /** The same of the plans before this one: what they have run no late trigger runs again (L7). */
  readonly doneBefore: number;
  readonly open: OpenTick | null;
  readonly last: Tick | null;
  /** The run that it woke the agent with last. */
  readonly runId: string | null;
  /** Versions of the Worker for which it has run at the start, newest last. */
  readonly starts: readonly string[];
  /** Ticks in a row that went wrong. */
  readonly failures: number;
}

export function createJobSchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS Jobs (
      jobId TEXT PRIMARY KEY, plan TEXT NOT NULL, armedAt INTEGER NOT NULL, doneUpTo INTEGER,
      doneBefore INTEGER NOT NULL DEFAULT 0, open TEXT,
      last TEXT, runId TEXT, starts TEXT NOT NULL DEFAULT '[]', failures INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID
  `);
}

export function readJobs(db: Database): JobRow[] {
  return db.all("SELECT * FROM Jobs").map(jobRow);
}

export function readJob(db: Database, jobId: string): JobRow | null {
  const row = first(db, "SELECT * FROM Jobs WHERE jobId = ?", jobId);
  return row === null ? null : jobRow(row);
}

function jobRow(row: Row): JobRow {
  const open = textOrNull(row, "open");
  const last = textOrNull(row, "last");
  return {
    jobId: text(row, "jobId"),
    plan: ownJson<Plan>(text(row, "plan")),
    armedAt: int(row, "armedAt"),
    doneUpTo: intOrNull(row, "doneUpTo"),
    doneBefore: int(row, "doneBefore"),
    open: open === null ? null : ownJson<OpenTick>(open),
    last: last === null ? null : ownJson<Tick>(last),
    runId: textOrNull(row, "runId"),
    starts: ownJson<string[]>(text(row, "starts")),
    failures: int(row, "failures"),
  };
}

/** Puts a plan in force; a job that was there keeps what is known of its past. */
export function armJob(db: Database, jobId: string, { plan, now }: { plan: Plan; now: number }): void {
  db.run(
    `INSERT INTO Jobs (jobId, plan, armedAt) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET plan = excluded.plan, armedAt = excluded.armedAt,
       doneBefore = max(doneBefore, coalesce(doneUpTo, 0)), doneUpTo = NULL`,
    jobId,
    JSON.stringify(plan),
    now,
  );
}

export function dropJob(db: Database, jobId: string): void {
  db.run("DELETE FROM Jobs WHERE jobId = ?", jobId);
}

/** Counts everything up to that tick as dealt with. */
export function passTicks(db: Database, jobId: string, upTo: number): void {
  db.run("UPDATE Jobs SET doneUpTo = max(coalesce(doneUpTo, ?), ?) WHERE jobId = ?", upTo, upTo, jobId);
}

export function openTick(db: Database, tick: OpenTick): void {
  db.run("UPDATE Jobs SET open = ? WHERE jobId = ?", JSON.stringify(tick), tick.jobId);
}

const KEPT_STARTS = 20;

export function noteStart(db: Database, { jobId, starts }: JobRow, version: string): void {
  const kept = [...starts, version].slice(-KEPT_STARTS);
  db.run("UPDATE Jobs SET starts = ? WHERE jobId = ?", JSON.stringify(kept), jobId);
}

/** Keeps the tick as the job's last one; where it was under way, it no longer is. */
export function closeTick(
  db: Database,
  jobId: string,
  { tick, failures }: { tick: Tick; failures: number },
): void {
  db.run(
    `UPDATE Jobs SET last = ?, failures = ?, runId = coalesce(?, runId),
       open = CASE WHEN json_extract(open, '$.uid') = ? THEN NULL ELSE open END WHERE jobId = ?`,
    JSON.stringify(tick),
    failures,
    tick.runId,
    tick.uid,
    jobId,
  );
}
