/** Runs of one agent: accepted, started, ended. Each verb is one or two statements; callers make the transactions. */
import type { RunSpent } from "../chain/budget.ts";
import type { Lineage, Trigger } from "../lineage.ts";
import type { RunStatus } from "../record/rows.ts";
import type { OutsideContext } from "./contexts.ts";
import { type Database, first, int, intOrNull, ownJson, type Row, text, textOrNull } from "./database.ts";
import { packText, unpackText } from "./long-text.ts";

/** Where a run's messages go: the lasting conversation, nowhere else, or a question's turn in the conversation. */
export type Lane = "conversation" | "isolated" | "answer";

export interface NewRun {
  readonly runId: string;
  readonly trigger: Trigger;
  readonly lane: Lane;
  readonly priority: number;
  readonly lineage: Lineage;
  /** The message it answers, scrubbed. */
  readonly input: string;
  /** Steps allowed when fewer than the agent's own limit. */
  readonly maxSteps: number | null;
  /** When it must be over, also while queued; null for the agent's own time limit from its start. */
  readonly deadlineAt: number | null;
  /** The task that it works on. */
  readonly taskId: string | null;
  /** Of a question whose asker keeps the chain's books: what they say so far. */
  readonly asker?: RunSpent;
  /** The context of a client of A2A that it is accepted in; not part of its record. */
  readonly context?: OutsideContext;
}

export interface RunRecord extends NewRun {
  readonly seq: number;
  readonly conversation: number;
  readonly state: "queued" | "started" | "ended";
  readonly acceptedAt: number;
  readonly startedAt: number | null;
  readonly resumes: number;
  /** Why somebody wants it ended; null when nobody does. */
  readonly cancel: CancelRequest | null;
  /** Its chain has an object of its own, which is told of its end. */
  readonly chained: boolean;
}

export interface CancelRequest {
  readonly status: Extract<RunStatus, "cancelled" | "timeout">;
  readonly reason: string;
}

export interface EndedRun {
  readonly chained: boolean;
  readonly reply: string;
  /** The receipt row as JSON, as it went to the outbox. */
  readonly receipt: string;
}

const COLUMNS = `seq, runId, trigger, lane, priority, lineage, input, conversation, maxSteps, deadlineAt, taskId, asker,
  state, acceptedAt, startedAt, resumes, cancel, chained`;

export function insertRun(db: Database, run: NewRun, at: { now: number; conversation: number }): RunRecord {
  const { context: _, ...kept } = run;
  const chained = run.lineage.parentRunId !== null && run.asker === undefined;
  const inserted = first(
    db,
    `INSERT INTO Runs (runId, trigger, lane, priority, lineage, input, conversation, maxSteps, deadlineAt, taskId, asker, chained, state, acceptedAt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?) RETURNING seq`,
    run.runId,
    run.trigger,
    run.lane,
    run.priority,
    JSON.stringify(run.lineage),
    packText(db, `input:${run.runId}`, run.input),
    at.conversation,
    run.maxSteps,
    run.deadlineAt,
    run.taskId,
    run.asker === undefined ? null : JSON.stringify(run.asker),
    chained ? 1 : 0,
    at.now,
  );
  if (inserted === null) throw new Error(`Run ${run.runId} was not kept`);
  return {
    ...kept,
    seq: int(inserted, "seq"),
    conversation: at.conversation,
    state: "queued",
    acceptedAt: at.now,
    startedAt: null,
    resumes: 0,
    cancel: null,
    chained,
  };
}

export function findRun(db: Database, runId: string): RunRecord | null {
  const row = first(db, `SELECT ${COLUMNS} FROM Runs WHERE runId = ?`, runId);
  return row === null ? null : runRecord(db, row);
}

/** Runs that are not over, in order of arrival. */
export function openRuns(db: Database): RunRecord[] {
  return db
    .all(`SELECT ${COLUMNS} FROM Runs WHERE state <> 'ended' ORDER BY seq`)
    .map((row) => runRecord(db, row));
}

export function markStarted(db: Database, runId: string, at: { now: number; conversation: number }): void {
  db.run(
    "UPDATE Runs SET state = 'started', startedAt = ?, conversation = ? WHERE runId = ?",
    at.now,
    at.conversation,
    runId,
  );
}

/** Replaces the message of a run that waits. */
export function setInput(db: Database, runId: string, input: string): void {
  const packed = packText(db, `input:${runId}`, input);
  db.run("UPDATE Runs SET input = ? WHERE runId = ? AND state = 'queued'", packed, runId);
}

export function markResumed(db: Database, runId: string): void {
  db.run("UPDATE Runs SET resumes = resumes + 1 WHERE runId = ?", runId);
}

/** Keeps the wish across a restart; the first one stands. */
export function requestCancel(db: Database, runId: string, request: CancelRequest): void {
  db.run("UPDATE Runs SET cancel = ? WHERE runId = ? AND cancel IS NULL", JSON.stringify(request), runId);
}

/** The run's latest failed model attempt, or null once an attempt has worked. */
export function noteTrouble(db: Database, runId: string, trouble: string | null): void {
  db.run("UPDATE Runs SET trouble = ? WHERE runId = ?", trouble, runId);
}

export function troubleOf(db: Database, runId: string): string | null {
  const row = first(db, "SELECT trouble FROM Runs WHERE runId = ?", runId);
  return row === null ? null : textOrNull(row, "trouble");
}

export interface RunEnd {
  readonly runId: string;
  readonly reply: string;
  readonly receipt: string;
  /** Its place among the conversation's turns; null when it leaves none. */
  readonly turn: number | null;
}

export function markEnded(db: Database, end: RunEnd): void {
  db.run(
    "UPDATE Runs SET state = 'ended', reply = ?, receipt = ?, turn = ?, cancel = NULL WHERE runId = ?",
    packText(db, `reply:${end.runId}`, end.reply),
    end.receipt,
    end.turn,
    end.runId,
  );
}

export function endedRun(db: Database, runId: string): EndedRun | null {
  const row = first(
    db,
    "SELECT reply, receipt, chained FROM Runs WHERE runId = ? AND state = 'ended'",
    runId,
  );
  if (row === null) return null;
  return {
    reply: unpackText(db, text(row, "reply")),
    receipt: text(row, "receipt"),
    chained: int(row, "chained") === 1,
  };
}

export interface UnsettledRun {
  readonly record: Pick<RunRecord, "runId" | "trigger" | "lineage" | "taskId" | "chained">;
  readonly receipt: string;
}

/** Ended runs whose chain has not been told, oldest first. */
export function unsettledRuns(db: Database, limit: number): UnsettledRun[] {
  return db
    .all(
      `SELECT runId, trigger, lineage, taskId, chained, receipt FROM Runs
       WHERE state = 'ended' AND settled = 0 ORDER BY seq LIMIT ?`,
      limit,
    )
    .map((row) => ({
      record: {
        runId: text(row, "runId"),
        trigger: ownWord<Trigger>(row, "trigger"),
        lineage: ownJson<Lineage>(text(row, "lineage")),
        taskId: textOrNull(row, "taskId"),
        chained: int(row, "chained") === 1,
      },
      receipt: text(row, "receipt"),
    }));
}

export function markSettled(db: Database, runIds: readonly string[]): void {
  db.run(
    "UPDATE Runs SET settled = 1 WHERE runId IN (SELECT value FROM json_each(?))",
    JSON.stringify(runIds),
  );
}

/** The place for the next turn that closes. */
export function nextTurn(db: Database, conversation: number): number {
  const row = first(
    db,
    "SELECT max(turn) AS last FROM Runs WHERE conversation = ? AND turn IS NOT NULL",
    conversation,
  );
  return (row === null ? 0 : (intOrNull(row, "last") ?? 0)) + 1;
}

export interface ClosedTurn {
  readonly turn: number;
  readonly record: RunRecord;
  readonly reply: string;
  readonly receipt: string;
}

export interface TurnRange {
  readonly conversation: number;
  /** Only turns after this place. */
  readonly after: number;
  readonly limit: number;
}

/** The newest closed turns of the range, newest first. One by one: together, long texts would not fit into memory. */
export function* closedTurns(db: Database, range: TurnRange): Generator<ClosedTurn> {
  const places = db.all(
    "SELECT turn FROM Runs WHERE conversation = ? AND turn > ? ORDER BY turn DESC LIMIT ?",
    range.conversation,
    range.after,
    range.limit,
  );
  for (const place of places) {
    const row = first(
      db,
      `SELECT ${COLUMNS}, turn, reply, receipt FROM Runs WHERE conversation = ? AND turn = ?`,
      range.conversation,
      int(place, "turn"),
    );
    if (row === null) continue;
    yield {
      turn: int(row, "turn"),
      record: runRecord(db, row),
      reply: unpackText(db, text(row, "reply")),
      receipt: text(row, "receipt"),
    };
  }
}

function runRecord(db: Database, row: Row): RunRecord {
  const cancel = textOrNull(row, "cancel");
  const asker = textOrNull(row, "asker");
  return {
    seq: int(row, "seq"),
    runId: text(row, "runId"),
    trigger: ownWord<Trigger>(row, "trigger"),
    lane: ownWord<Lane>(row, "lane"),
    priority: int(row, "priority"),
    lineage: ownJson<Lineage>(text(row, "lineage")),
    input: unpackText(db, text(row, "input")),
    conversation: int(row, "conversation"),
    maxSteps: intOrNull(row, "maxSteps"),
    deadlineAt: intOrNull(row, "deadlineAt"),
    taskId: textOrNull(row, "taskId"),
    ...(asker === null ? {} : { asker: ownJson<RunSpent>(asker) }),
    state: ownWord<RunRecord["state"]>(row, "state"),
    acceptedAt: int(row, "acceptedAt"),
    startedAt: intOrNull(row, "startedAt"),
    resumes: int(row, "resumes"),
    cancel: cancel === null ? null : ownJson<CancelRequest>(cancel),
    chained: int(row, "chained") === 1,
  };
}

/** A literal that this code itself wrote; see ownJson. */
function ownWord<T extends string>(row: Row, column: string): T {
  return ownJson<T>(JSON.stringify(text(row, column)));
}
