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

/** `later`: the model did not answer, or whoever waits cannot wait for it too; the questions stay where they are. */
type Embedded =
  | { readonly code: "vectors"; readonly model: string; readonly vectors: readonly (readonly number[])[] }
  | { readonly code: "later" };

/** Turns texts into vectors of one length, in their order. Null when there is no model. */
export type Embed = (texts: readonly string[]) => Promise<Embedded | null>;

const STEP_ANSWERS = 500;
/** A question is compared with so many groups of its pair, those asked last. */
const COMPARED_GROUPS = 1_000;
/** All pairs of a step together: at most 10 MB with vectors, and more than one pair has. */
const STEP_GROUPS = 2_000;
/** With vectors of 1,024 dimensions some 20 ms. */
const STEP_COMPARISONS = 20_000;
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

/** One step: three reads and a batch, however many pairs there are. Rejects when D1 does. */
export async function analyseQuestions(db: D1Database, reader: Reader, embed: Embed): Promise<AnalysisStep> {
  const version = await analysisVersion(db);
  const answers = await reader.all<AnswerRow>(NEW_ANSWERS, STEP_ANSWERS);
  if (answers.length === 0) return { done: 0, more: false };
  const known = await knownGroups(reader, answers);
  const questions = fittingQuestions(
    answers.flatMap((row) => questionOf(row) ?? []),
    known,
    STEP_COMPARISONS,
  );
  const vectors = questions.length === 0 ? null : await embed(questions.map(({ question }) => question));
  if (vectors?.code === "later") return { done: 0, more: false };
  const taken = new Set(questions.map(({ answerId }) => answerId));
  const done = answers.filter((row) => questionOf(row) === null || taken.has(row.answerId));
  const written = await writeStep(db, version, [
    ...putRows(db, questionGroups, changedGroups(questions, known, vectors)),
    db
      .prepare(`DELETE FROM "NewAnswers" WHERE "MessageId" IN (SELECT "value" FROM json_each(?))`)
      .bind(JSON.stringify(done.map(({ answerId }) => answerId))),
  ]);
  const more = !written || answers.length === STEP_ANSWERS || done.length < answers.length;
  return { done: written ? done.length : 0, more };
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

interface QuestionRow extends AnswerRow {
  readonly questionId: number;
  readonly from: string;
  readonly question: string;
  readonly at: string;
}

/** Null for an answer whose question is not on record. */
function questionOf(row: AnswerRow): QuestionRow | null {
  const { questionId, from, question, at } = row;
  if (questionId === null || from === null || question === null || at === null) return null;
  return { ...row, questionId, from, question, at };
}

type KnownGroups = ReadonlyMap<string, readonly QuestionGroup[]>;
const pairOf = ({ from, to }: Pick<AskedQuestion, "from" | "to">) => JSON.stringify([from, to]);

/** The groups of each pair, as far as they may be read in one step; pairs that are left out have none. */
async function knownGroups(reader: Reader, answers: readonly AnswerRow[]): Promise<KnownGroups> {
  const pairs = [...new Set(answers.flatMap((row) => questionOf(row) ?? []).map(pairOf))];
  const rows = await reader.all<QuestionGroup & { readonly pair: number }>(
    GROUPS_OF,
    `[${pairs.join(",")}]`,
    COMPARED_GROUPS,
    STEP_GROUPS,
  );
  // Where the list ends, its last pair may be cut.
  const whole = rows.length < STEP_GROUPS ? pairs.length : (rows.at(-1)?.pair ?? 0);
  const found = Map.groupBy(rows, ({ pair }) => pair);
  return new Map(
    pairs
      .slice(0, whole)
      .map((pair, index) => [pair, (found.get(index) ?? []).map(({ pair: _index, ...group }) => group)]),
  );
}

/** CROSS JOIN keeps the pairs in their order. */
const GROUPS_OF = `SELECT ${selectList(questionGroups, "g")}, p."key" AS "pair" FROM json_each(?) p
  CROSS JOIN "QuestionGroups" g ON g."GroupId" IN (
    SELECT x."GroupId" FROM "QuestionGroups" x
    WHERE x."FromAgentId" = json_extract(p."value", '$[0]') AND x."ToAgentId" = json_extract(p."value", '$[1]')
    ORDER BY x."LastAt" DESC LIMIT ?)
  LIMIT ?`;

/** Those whose groups are known, oldest first, as many as cost at most so many comparisons; one always fits. */
export function fittingQuestions<Row extends Pick<AskedQuestion, "from" | "to">>(
  questions: readonly Row[],
  known: ReadonlyMap<string, readonly unknown[]>,
  comparisons: number,
): Row[] {
  const added = new Map<string, number>();
  let left = comparisons;
  return questions.filter((question, index) => {
    const pair = pairOf(question);
    const groups = known.get(pair);
    if (groups === undefined || (left <= 0 && index > 0)) return false;
    const before = added.get(pair) ?? 0;
    added.set(pair, before + 1);
    left -= groups.length + before;
    return true;
  });
}

function changedGroups(
  questions: readonly QuestionRow[],
  known: KnownGroups,
  vectors: Exclude<Embedded, { code: "later" }> | null,
): QuestionGroup[] {
  const asked = questions.map((row, index): AskedQuestion => {
    const { questionId, answerId, from, to, at } = row;
    const answered = row.answered === 1;
    const vector = vectors === null ? null : packVector(vectors.model, vectors.vectors[index] ?? []);
    const prints = { print: printOf(row.question), answerPrint: answered ? printOf(row.answer) : null };
    return { questionId, answerId, from, to, at, answered, vector, ...prints };
  });
  return [...Map.groupBy(asked, pairOf)].flatMap(([pair, ofPair]) => {
    const groups = new QuestionGroups(known.get(pair) ?? []);
    for (const question of ofPair) groups.add(question);
    return groups.changed();
  });
}

/** A member of a group as it is kept: `[questionId, answerId, milliseconds, answered, same]`. */
export type GroupMember = readonly [
  questionId: number,
  answerId: number,
  at: number,
  answered: 0 | 1,
  same: 0 | 1,
];

export const membersOf = (json: string): readonly GroupMember[] => ownJson<GroupMember[]>(json);
