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
    MAX_GROUPS,
  );
  const { a, b } = filter;
  const found = groups
    .filter((group) =>
      [a, b].every((agent) => agent === null || agent === group.fromAgentId || agent === group.toAgentId),
    )
    .map((group) => ({ group, members: membersWithin(group, period) }))
    .filter(({ members }) => members.length >= MIN_ASKED)
    .map(({ group, members }) => ({ group, members, asked: askedWithin(group, members) }))
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
  WHERE g."Asked" >= 3 AND g."LastAt" >= ? AND g."FirstAt" < ? ORDER BY g."LastAt" DESC LIMIT ?`;

function membersWithin(group: QuestionGroup, { since, before }: Scope["period"]): GroupMember[] {
  const from = since === null ? 0 : Date.parse(since);
  const to = before === null ? Number.POSITIVE_INFINITY : Date.parse(before);
  return membersOf(group.members)
    .filter(([, , at]) => at >= from && at < to)
    .sort(([, , x], [, , y]) => x - y);
}

/** The group keeps the newest hundred; when the period holds all of these, it holds the older ones too as far as it goes back. */
function askedWithin(group: QuestionGroup, members: readonly GroupMember[]): number {
  return members.length === membersOf(group.members).length ? group.asked : members.length;
}

interface Found {
  readonly group: QuestionGroup;
  readonly members: readonly GroupMember[];
  readonly asked: number;
}

function exampleIds(members: readonly GroupMember[]): number[] {
  const answered = members.findLast(([, , , wasAnswered]) => wasAnswered === 1) ?? members.at(-1);
  return answered === undefined ? [] : [answered[0], answered[1]];
}

function findingOf(
  { group, members, asked }: Found,
  texts: ReadonlyMap<number, string>,
  roots: ReadonlyMap<number, string>,
): Told {
  const answered = members.filter(([, , , wasAnswered]) => wasAnswered === 1).length;
  const sameAnswers = members.filter(([, , , , same]) => same === 1).length;
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
    numbers: { answered, sameAnswers },
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
