/**
 * The part of the analysis that compares questions: each is put to the group of those that ask the same, once
 * its answer is on record. A group belongs to one agent who asks and one who is asked.
 */
import { ownJson } from "../journal/database.ts";
import { selectList } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import type { AnalysisStep } from "./analyse-chains.ts";
import { analysisVersion, putRows, writeStep } from "./analysis-batch.ts";
import { type AskedQuestion, type QuestionGroup, QuestionGroups } from "./question/groups.ts";
import { printOf } from "./question/print.ts";
import { packVector } from "./question/vector.ts";
import { questionGroups } from "./schema.ts";

/** Turns texts into vectors of one length, in their order; null when there is no model or it does not answer. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[] | null>;

const STEP_ANSWERS = 500;
/** A question is compared with so many groups of its pair, those asked last. */
export const COMPARED_GROUPS = 1_000;
/** What is looked at of a text; a question stands at its beginning or its end. */
const TEXT_CHARS = 20_000;

interface AnswerRow {
  readonly answerId: number;
  readonly questionId: number | null;
  readonly from: string | null;
  readonly to: string;
  readonly question: string | null;
  readonly answer: string;
  readonly answered: number;
  readonly at: string | null;
}

/** One step. Rejects when D1 does. */
export async function analyseQuestions(db: D1Database, reader: Reader, embed: Embed): Promise<AnalysisStep> {
  const version = await analysisVersion(db);
  const answers = await reader.all<AnswerRow>(NEW_ANSWERS, STEP_ANSWERS);
  if (answers.length === 0) return { done: 0, more: false };
  const questions = await askedQuestions(answers, embed);
  const changed: QuestionGroup[] = [];
  for (const asked of Map.groupBy(questions, ({ from, to }) => `${from}|${to}`).values())
    changed.push(...(await joinGroups(reader, asked)));
  const written = await writeStep(db, version, [
    ...putRows(db, questionGroups, changed),
    db
      .prepare(`DELETE FROM "NewAnswers" WHERE "MessageId" IN (SELECT "value" FROM json_each(?))`)
      .bind(JSON.stringify(answers.map(({ answerId }) => answerId))),
  ]);
  return { done: written ? answers.length : 0, more: !written || answers.length === STEP_ANSWERS };
}

/** The question of an answer has its name; one that was imported is the latest before it in its chain. */
const NEW_ANSWERS = `SELECT n."MessageId" AS "answerId", q."Id" AS "questionId", a."ToAgentId" AS "from", a."FromAgentId" AS "to",
    substr(q."Content", 1, ${TEXT_CHARS}) AS "question", substr(a."Content", 1, ${TEXT_CHARS}) AS "answer",
    a."Status" = 'delivered' AS "answered", q."OccurredAt" AS "at"
  FROM (SELECT "MessageId" FROM "NewAnswers" ORDER BY "MessageId" LIMIT ?) n
  LEFT JOIN "AgentMessages" a ON a."Id" = n."MessageId"
  LEFT JOIN "AgentMessages" q ON q."Id" = iif(a."Uid" NOT LIKE 'import:%',
    (SELECT x."Id" FROM "AgentMessages" x WHERE x."Uid" = substr(a."Uid", 1, length(a."Uid") - 8) || 'request'),
    (SELECT x."Id" FROM "AgentMessages" x WHERE x."RootRunId" = a."RootRunId" AND x."OccurredAt" <= a."OccurredAt" AND x."Channel" = 'ask'
      AND x."Direction" = 'request' AND x."FromAgentId" = a."ToAgentId" AND x."ToAgentId" = a."FromAgentId"
      ORDER BY x."OccurredAt" DESC LIMIT 1))
  ORDER BY n."MessageId"`;

async function askedQuestions(answers: readonly AnswerRow[], embed: Embed): Promise<AskedQuestion[]> {
  const known = answers.flatMap(({ questionId, from, question, at, ...rest }) =>
    questionId === null || from === null || question === null || at === null
      ? []
      : [{ ...rest, questionId, from, question, at }],
  );
  const vectors = known.length === 0 ? null : await embed(known.map(({ question }) => question));
  return known.map((row, index) => ({
    questionId: row.questionId,
    answerId: row.answerId,
    from: row.from,
    to: row.to,
    at: row.at,
    answered: row.answered === 1,
    print: printOf(row.question),
    vector: vectors === null ? null : packVector(vectors[index] ?? []),
    answerPrint: row.answered === 1 ? printOf(row.answer) : null,
  }));
}

async function joinGroups(
  reader: Reader,
  asked: readonly AskedQuestion[],
): Promise<readonly QuestionGroup[]> {
  const [first] = asked;
  if (first === undefined) return [];
  const rows = await reader.all<QuestionGroup>(GROUPS_OF, first.from, first.to, COMPARED_GROUPS);
  const groups = new QuestionGroups(rows);
  for (const question of asked) groups.add(question);
  return groups.changed();
}

const GROUPS_OF = `SELECT ${selectList(questionGroups, "g")} FROM "QuestionGroups" g
  WHERE g."FromAgentId" = ? AND g."ToAgentId" = ? ORDER BY g."LastAt" DESC LIMIT ?`;

/** A member of a group as it is kept: `[questionId, answerId, milliseconds, answered, same]`. */
export type GroupMember = readonly [
  questionId: number,
  answerId: number,
  at: number,
  answered: 0 | 1,
  same: 0 | 1,
];

export const membersOf = (json: string): readonly GroupMember[] => ownJson<GroupMember[]>(json);
