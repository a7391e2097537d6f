/** The groups of questions of one agent to another, in memory for one step of the analysis. No I/O. */
import { ownJson } from "../../journal/database.ts";
import { earliest, latest } from "../period.ts";
import type { questionGroups } from "../schema.ts";
import { type QuestionPrint, storedPrint } from "./print.ts";
import { type Compared, sameQuestion } from "./same-question.ts";
import { unpackVector } from "./vector.ts";

export type QuestionGroup = Readonly<typeof questionGroups.$inferSelect>;

export interface AskedQuestion {
  readonly questionId: number;
  readonly answerId: number;
  readonly from: string;
  readonly to: string;
  /** ISO 8601. */
  readonly at: string;
  readonly answered: boolean;
  readonly print: QuestionPrint;
  readonly vector: string | null;
  /** Null when nobody answered. */
  readonly answerPrint: QuestionPrint | null;
}

interface Known extends Compared {
  readonly group: QuestionGroup;
  readonly changed: boolean;
}

const KEPT_MEMBERS = 100;
/** Below that many groups nothing can be said about which words are rare. */
const ENOUGH_TO_TELL = 40;
/** Two answers with so much in common say the same. */
const SAME_ANSWER = 0.6;

export class QuestionGroups {
  readonly #groups = new Map<number, Known>();
  /** Groups by what they hold, so that a question is compared with those that share something. */
  readonly #holding = new Map<string, Set<number>>();

  constructor(groups: readonly QuestionGroup[]) {
    for (const group of groups) this.#put({ group, changed: false, ...comparedOf(group) });
  }

  /** Puts the question to the group that asks the same, or begins one. */
  add(question: AskedQuestion): void {
    const compared: Compared = {
      print: question.print,
      vector: question.vector === null ? null : unpackVector(question.vector),
    };
    const found = this.#candidates(compared).find((known) => sameQuestion(known, compared, this.#share));
    if (found === undefined) this.#put({ ...compared, group: newGroup(question), changed: true });
    else
      this.#groups.set(found.group.groupId, {
        ...found,
        group: joined(found.group, question),
        changed: true,
      });
  }

  changed(): readonly QuestionGroup[] {
    return [...this.#groups.values()].filter(({ changed }) => changed).map(({ group }) => group);
  }

  #put(known: Known): void {
    const { groupId } = known.group;
    this.#groups.set(groupId, known);
    for (const key of keysOf(known.print)) {
      const holding = this.#holding.get(key) ?? new Set();
      this.#holding.set(key, holding.add(groupId));
    }
  }

  /** Oldest first. With vectors every group may be meant. */
  #candidates({ print, vector }: Compared): Known[] {
    const ids =
      vector === null
        ? new Set(keysOf(print).flatMap((key) => [...(this.#holding.get(key) ?? [])]))
        : this.#groups.keys();
    return [...ids].sort((a, b) => a - b).flatMap((id) => this.#groups.get(id) ?? []);
  }

  readonly #share = (term: string): number =>
    this.#groups.size < ENOUGH_TO_TELL ? 0 : (this.#holding.get(term)?.size ?? 0) / this.#groups.size;
}

function keysOf(print: QuestionPrint): readonly string[] {
  return [
    ...print.terms,
    ...print.context,
    ...print.marks,
    ...(print.plain === "" ? [] : [`= ${print.plain}`]),
  ];
}

function comparedOf({ print, vector }: QuestionGroup): Compared {
  return {
    print: storedPrint(ownJson<Partial<QuestionPrint>>(print)),
    vector: vector === null ? null : unpackVector(vector),
  };
}

function newGroup(question: AskedQuestion): QuestionGroup {
  const { questionId, from, to, at, print, vector } = question;
  const empty: QuestionGroup = {
    groupId: questionId,
    fromAgentId: from,
    toAgentId: to,
    print: JSON.stringify(print),
    vector,
    asked: 0,
    answered: 0,
    sameAnswers: 0,
    firstAt: at,
    lastAt: at,
    members: "[]",
    answerPrint: null,
  };
  return joined(empty, question);
}

/** One that is a member already, as after a rebuild, changes nothing. */
function joined(group: QuestionGroup, question: AskedQuestion): QuestionGroup {
  const { questionId, answerId, at, answered, answerPrint } = question;
  if (ownJson<[number][]>(group.members).some(([id]) => id === questionId)) return group;
  const same =
    answerPrint !== null &&
    group.answerPrint !== null &&
    sameAnswer(ownJson<QuestionPrint>(group.answerPrint), answerPrint);
  // Imported ones may come later than newer ones.
  const members = [
    ...ownJson<[number, number, number, number, number][]>(group.members),
    [questionId, answerId, Date.parse(at), answered ? 1 : 0, same ? 1 : 0] as const,
  ].sort(([, , x], [, , y]) => x - y);
  return {
    ...group,
    asked: group.asked + 1,
    answered: group.answered + (answered ? 1 : 0),
    sameAnswers: group.sameAnswers + (same ? 1 : 0),
    firstAt: earliest(group.firstAt, at),
    lastAt: latest(group.lastAt, at),
    members: JSON.stringify(members.slice(-KEPT_MEMBERS)),
    answerPrint: answerPrint === null ? group.answerPrint : JSON.stringify(answerPrint),
  };
}

/** The same numbers, and most words. */
function sameAnswer(a: QuestionPrint, b: QuestionPrint): boolean {
  if (a.marks.join("|") !== b.marks.join("|")) return false;
  const [wordsA, wordsB] = [a, b].map(({ terms, context, plain }) => [
    ...terms,
    ...context,
    ...plain.split(" ").filter((word) => word !== ""),
  ]);
  const all = new Set([...(wordsA ?? []), ...(wordsB ?? [])]);
  const shared = [...all].filter((word) => wordsA?.includes(word) && wordsB?.includes(word));
  return all.size === 0 || shared.length / all.size >= SAME_ANSWER;
}
