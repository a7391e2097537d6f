/** The journal of a run: what the model answered in each step and what became of its calls. */
import type { SettledRun } from "../engine/world.ts";
import type { ModelAnswer } from "../model/types.ts";
import type { AuditOutcome } from "../record/rows.ts";
import { cutToUnits } from "../record/stored-text.ts";
import { type Database, first, int, intOrNull, ownJson, type Row, text, textOrNull } from "./database.ts";
import { packText, unpackText } from "./long-text.ts";

export interface StepCost {
  readonly costMicros: number | null;
  readonly priceSource: string | null;
}

/** When its model call was under way, retries included. Epoch milliseconds; missing in journals of older versions. */
export interface CallTimes {
  readonly startedAt?: number;
  readonly endedAt?: number;
}

export type JournaledAnswer = ModelAnswer & StepCost & CallTimes;

export interface CallResult {
  readonly outcome: AuditOutcome;
  /** Why it did not work; null when it did. */
  readonly error: string | null;
  /** The tool result, whole and scrubbed. */
  readonly content: string;
}

export interface FinishedCall extends CallResult {
  /** Of a question: the run that has answered it. */
  readonly answer: SettledRun | undefined;
  readonly now: number;
}

export type CallState = "pending" | "started" | "done";

export interface JournaledCall {
  readonly position: number;
  readonly state: CallState;
  /** The run that answers it, when it is an ask that was sent. */
  readonly askRunId: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly result: CallResult | null;
}

export interface JournaledStep {
  readonly step: number;
  readonly answer: JournaledAnswer;
  /** One for each of the answer's tool calls, in their order. */
  readonly calls: readonly JournaledCall[];
}

export interface CallKey {
  readonly runId: string;
  readonly step: number;
  readonly position: number;
}

export function insertStep(
  db: Database,
  key: { runId: string; step: number },
  answer: JournaledAnswer,
): void {
  const packed = packText(db, `step:${key.runId}:${key.step}`, JSON.stringify(answer));
  db.run("INSERT INTO Steps (runId, step, answer) VALUES (?, ?, ?)", key.runId, key.step, packed);
}

/** A call that is about to be made. Written before it is made, so that a restart knows it may have happened. */
export function startCall(db: Database, key: CallKey, at: { now: number; askRunId: string | null }): void {
  db.run(
    `INSERT INTO Calls (runId, step, position, state, askRunId, startedAt) VALUES (?, ?, ?, 'started', ?, ?)
     ON CONFLICT DO NOTHING`,
    key.runId,
    key.step,
    key.position,
    at.askRunId,
    at.now,
  );
}

/** The reason alone; the whole of it stands in the result. */
const ERROR_CHARS = 2_000;

/** A call's one result; a second one is ignored (L2). */
export function finishCall(db: Database, key: CallKey, result: FinishedCall): void {
  db.run(
    `INSERT INTO Calls (runId, step, position, state, startedAt, endedAt, outcome, error, result, answer)
     VALUES (?, ?, ?, 'done', ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET state = 'done', endedAt = excluded.endedAt, outcome = excluded.outcome,
       error = excluded.error, result = excluded.result, answer = excluded.answer WHERE Calls.state <> 'done'`,
    key.runId,
    key.step,
    key.position,
    result.now,
    result.now,
    result.outcome,
    result.error === null ? null : cutToUnits(result.error, ERROR_CHARS),
    packText(db, `call:${key.runId}:${key.step}:${key.position}`, result.content),
    result.answer === undefined ? null : JSON.stringify(result.answer),
  );
}

/** The ended runs that have answered a run's questions, in order. */
export function answersOf(db: Database, runId: string): SettledRun[] {
  return db
    .all("SELECT answer FROM Calls WHERE runId = ? AND answer IS NOT NULL ORDER BY step, position", runId)
    .map((row) => ownJson<SettledRun>(text(row, "answer")));
}

/** Runs that were asked and of which no end is known. */
export function unansweredAsks(db: Database, runId: string): string[] {
  return db
    .all(
      `SELECT askRunId FROM Calls
       WHERE runId = ? AND askRunId IS NOT NULL AND answer IS NULL AND state = 'done' AND outcome <> 'denied'`,
      runId,
    )
    .map((row) => text(row, "askRunId"));
}

export interface AskedRun {
  readonly askRunId: string;
  /** Epoch milliseconds. */
  readonly askedAt: number;
  /** Null while the answer is still to come. */
  readonly answer: SettledRun | null;
}

/** Runs that have answered a run's questions or are about to, in order. */
export function askedRuns(db: Database, runId: string): AskedRun[] {
  return db
    .all(
      `SELECT askRunId, startedAt, answer FROM Calls
       WHERE runId = ? AND askRunId IS NOT NULL AND (answer IS NOT NULL OR state = 'started') ORDER BY step, position`,
      runId,
    )
    .map((row) => {
      const answer = textOrNull(row, "answer");
      return {
        askRunId: text(row, "askRunId"),
        askedAt: int(row, "startedAt"),
        answer: answer === null ? null : ownJson<SettledRun>(answer),
      };
    });
}

/** The whole journal of a run, in order. Step by step: together, long results would not fit into memory. */
export function* readSteps(db: Database, runId: string): Generator<JournaledStep> {
  for (const row of db.all("SELECT step FROM Steps WHERE runId = ? ORDER BY step", runId)) {
    const step = int(row, "step");
    const stored = first(db, "SELECT answer FROM Steps WHERE runId = ? AND step = ?", runId, step);
    if (stored === null) continue;
    const answer = ownJson<JournaledAnswer>(unpackText(db, text(stored, "answer")));
    const calls = db.all("SELECT * FROM Calls WHERE runId = ? AND step = ? ORDER BY position", runId, step);
    yield { step, answer, calls: answer.toolCalls.map((_, position) => callAt(db, calls, position)) };
  }
}

/** How many texts a run's journal holds: its answers and the results of their calls. */
export function countTexts(db: Database, runId: string): number {
  const steps = "(SELECT count(*) FROM Steps WHERE runId = ?1)";
  const row = first(db, `SELECT ${steps} + (SELECT count(*) FROM Calls WHERE runId = ?1) AS n`, runId);
  return row === null ? 0 : int(row, "n");
}

function callAt(db: Database, rows: readonly Row[], position: number): JournaledCall {
  const row = rows.find((candidate) => int(candidate, "position") === position);
  if (row === undefined)
    return { position, state: "pending", askRunId: null, startedAt: null, endedAt: null, result: null };
  return {
    position,
    state: text(row, "state") === "done" ? "done" : "started",
    askRunId: textOrNull(row, "askRunId"),
    startedAt: intOrNull(row, "startedAt"),
    endedAt: intOrNull(row, "endedAt"),
    result: resultOf(db, row),
  };
}

function resultOf(db: Database, row: Row): CallResult | null {
  const stored = textOrNull(row, "result");
  if (stored === null) return null;
  return {
    outcome: ownJson<AuditOutcome>(JSON.stringify(text(row, "outcome"))),
    error: textOrNull(row, "error"),
    content: unpackText(db, stored),
  };
}
