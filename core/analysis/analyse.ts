/** Takes the analysis on: chains and questions that have come in since, and sums that a rebuild has begun, step by step. */
import { firstIdAt } from "../record/insert-statement.ts";
import type { Reader } from "../record/reader.ts";
import { analyseChains } from "./analyse-chains.ts";
import { analyseQuestions, type Embed } from "./analyse-questions.ts";
import { sumChains } from "./sum-chains.ts";

export interface Analysis {
  readonly db: D1Database;
  /** Reads from the same database. */
  readonly reader: Reader;
  readonly embed: Embed;
}

/** At most so many steps of each kind; a step that was beaten by another one counts too. Rejects when D1 does. */
export async function analyse({ db, reader, embed }: Analysis, maxSteps: number): Promise<void> {
  await repeat(maxSteps, () => analyseChains(db, reader));
  await repeat(maxSteps, () => sumChains(db, reader));
  await repeat(maxSteps, () => analyseQuestions(db, reader, embed));
}

async function repeat(maxSteps: number, step: () => Promise<{ readonly more: boolean }>): Promise<void> {
  for (let made = 0; made < maxSteps; made += 1) if (!(await step()).more) return;
}

const MAX_FORGOTTEN = 500;

/**
 * Questions hold words of messages, so they go when the messages do. Groups are named by their first message, whose
 * id tells its time: only old ones are looked at. Safe to repeat. Rejects when D1 does.
 */
export async function forgetQuestions(db: D1Database, olderThan: string): Promise<void> {
  const statement = db.prepare(
    `DELETE FROM "QuestionGroups" WHERE "GroupId" IN (
      SELECT "GroupId" FROM "QuestionGroups" WHERE "GroupId" < ? AND "LastAt" < ? ORDER BY "GroupId" LIMIT ${MAX_FORGOTTEN})`,
  );
  await statement.bind(firstIdAt(olderThan), olderThan).run();
}
