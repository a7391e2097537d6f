/** Findings from the groups of questions: asked again and again, or answered before. */
import { selectList } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import { type GroupMember, membersOf } from "./analyse-questions.ts";
import type { Finding } from "./finding.ts";
import { MAX_SOURCES } from "./finding-sources.ts";
import type { QuestionGroup } from "./question/groups.ts";
import { questionGroups } from "./schema.ts";
import type { Scope } from "./scope.ts";

/** Twice may happen. */
export const MIN_ASKED = 3;
/** The groups asked last are looked at. */
const MAX_GROUPS = 500;
/** Answers that repeat the one before, of those that could. */
const MOSTLY_SAME = 0.5;
const EXAMPLE_CHARS = 300;

type Told = Omit<Finding, "text" | "causeText">;

/** Rejects when D1 does. */
export async function findQuestions(
  reader: Reader,
  { period, filter }: Pick<Scope, "period" | "filter">,
  limit: number,
): Promise<Told[]> {
  const groups = await reader.all<QuestionGroup>(
    GROUPS,
    period.since ?? "",
    period.before ?? "~",
    filter.a,
    filter.b,
    MAX_GROUPS,
  );
  const found = groups
    .map((group) => foundWithin(group, period))
    .filter(({ members }) => members.length >= MIN_ASKED)
    .sort((x, y) => y.asked - x.asked)
    .slice(0, limit);
  const texts = await textsOf(
    reader,
    found.flatMap(({ members }) => exampleIds(members)),
  );
  const roots = await rootsOf(
    reader,
    found.flatMap(({ members }) => members.slice(-MAX_SOURCES).map(([questionId]) => questionId)),
  );
  return found.map((each) => findingOf(each, texts, roots));
}

const GROUPS = `SELECT ${selectList(questionGroups, "g")} FROM "QuestionGroups" g
  WHERE g."Asked" >= 3 AND g."LastAt" >= ?1 AND g."FirstAt" < ?2
    AND ifnull(?3, g."FromAgentId") IN (g."FromAgentId", g."ToAgentId") AND ifnull(?4, g."ToAgentId") IN (g."FromAgentId", g."ToAgentId")
  ORDER BY g."LastAt" DESC LIMIT ?5`;

interface Found {
  readonly group: QuestionGroup;
  /** Of the period, oldest first, as far as the group keeps them. */
  readonly members: readonly GroupMember[];
  readonly asked: number;
  readonly answered: number;
  readonly sameAnswers: number;
  /** Some of the period are no longer kept one by one: the three numbers are at least so large. */
  readonly atLeast: boolean;
}

/** A group knows its totals, and one by one only its newest hundred. */
function foundWithin(group: QuestionGroup, { since, before }: Scope["period"]): Found {
  const from = since === null ? 0 : Date.parse(since);
  const to = before === null ? Number.POSITIVE_INFINITY : Date.parse(before);
  const kept = membersOf(group.members).toSorted(([, , x], [, , y]) => x - y);
  const members = kept.filter(([, , at]) => at >= from && at < to);
  if (Date.parse(group.firstAt) >= from && Date.parse(group.lastAt) < to) {
    const { asked, answered, sameAnswers } = group;
    return { group, members, asked, answered, sameAnswers, atLeast: false };
  }
  const answers = members.filter(([, , , wasAnswered]) => wasAnswered === 1);
  return {
    group,
    members,
    asked: members.length,
    answered: answers.length,
    // The first of the period repeats one of before it, if any.
    sameAnswers: answers.slice(1).filter(([, , , , same]) => same === 1).length,
    atLeast: group.asked > kept.length && (kept[0]?.[2] ?? 0) > from,
  };
}

function exampleIds(members: readonly GroupMember[]): number[] {
  const answered = members.findLast(([, , , wasAnswered]) => wasAnswered === 1) ?? members.at(-1);
  return answered === undefined ? [] : [answered[0], answered[1]];
}

function findingOf(
  { group, members, asked, answered, sameAnswers, atLeast }: Found,
  texts: ReadonlyMap<number, string>,
  roots: ReadonlyMap<number, string>,
): Told {
  const knew = answered >= 2 && sameAnswers / (answered - 1) >= MOSTLY_SAME;
  const shown = members.slice(-MAX_SOURCES).map(([questionId]) => questionId);
  const [questionId = 0, answerId = 0] = exampleIds(members);
  const time = (member: GroupMember | undefined) =>
    member === undefined ? null : new Date(member[2]).toISOString();
  return {
    id: `${knew ? "answered_before" : "repeated_question"}:${group.groupId}`,
    code: knew ? "answered_before" : "repeated_question",
    cause: knew ? "missing_knowledge" : answered === 0 ? "failing_colleague" : "unclear_responsibility",
    count: asked,
    numbers: { answered, sameAnswers, ...(atLeast ? { atLeast: 1 } : {}) },
    agents: [group.fromAgentId, group.toAgentId],
    channel: "ask",
    taskId: null,
    firstAt: time(members[0]),
    lastAt: time(members.at(-1)),
    messageIds: shown,
    rootRunIds: [...new Set(shown.flatMap((id) => roots.get(id) ?? []))],
    example: {
      question: texts.get(questionId) ?? null,
      answer: answered === 0 ? null : (texts.get(answerId) ?? null),
    },
  };
}

async function textsOf(reader: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await reader.all<{ id: number; text: string }>(
    `SELECT "Id" AS "id", substr("Content", 1, ${EXAMPLE_CHARS}) AS "text" FROM "AgentMessages" WHERE "Id" IN (SELECT "value" FROM json_each(?))`,
    JSON.stringify(ids),
  );
  return new Map(rows.map(({ id, text }) => [id, text]));
}

async function rootsOf(reader: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await reader.all<{ id: number; root: string }>(
    `SELECT "Id" AS "id", "RootRunId" AS "root" FROM "AgentMessages" WHERE "Id" IN (SELECT "value" FROM json_each(?))`,
    JSON.stringify(ids),
  );
  return new Map(rows.map(({ id, root }) => [id, root]));
}
