/** The troubles that an analysis must find, and what it must not take for them. */
import type { Office, Run } from "./office.ts";
import type { Planted } from "./score.ts";
import { type SmallTalk, worded } from "./small-talk.ts";
import { SLOTS, type Topic } from "./topic.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface Field {
  readonly office: Office;
  readonly talk: SmallTalk;
  readonly topics: readonly Topic[];
  readonly start: number;
  readonly end: number;
}

export function plantTroubles(field: Field): Planted[] {
  return [
    ...silted(field),
    ...repeated(field),
    ...pingPong(field),
    ...busyPair(field),
    ...chains(field),
    ...wakes(field),
    ...failingPair(field),
    ...habits(field),
    { code: "failing_hour", key: "3" },
    { code: "step_limits", key: "auditor" },
  ];
}

const anyTime = ({ office, start, end }: Field) => start + office.random.next() * (end - start - 5 * DAY_MS);

/** Some days without anything happening; others were touched yesterday and are at work. */
function silted(field: Field): Planted[] {
  const { office, end } = field;
  const states = ["open", "dispatched", "running", "waiting", "review"] as const;
  const give = (status: (typeof states)[number], at: number, updatedAt: number) => {
    const run = office.root("planner", at);
    const work = office.task(run, "support", { title: "Inventur vorbereiten", status, updatedAt });
    office.close(run, "chat");
    office.close(work, "task");
    return office.corpus.tasks.at(-1)?.taskId ?? "";
  };
  const planted = states.map((status): Planted => {
    const at = end - office.random.whole(4, 30) * DAY_MS;
    return { code: "silted_task", key: give(status, at, at + 2 * HOUR_MS) };
  });
  for (const status of states) give(status, end - 6 * DAY_MS, end - office.random.whole(1, 40) * HOUR_MS);
  return planted;
}

const REPEATED = 6;

/** In changing words, among questions that differ in a name only. */
function repeated(field: Field): Planted[] {
  const { office, talk, topics } = field;
  const { random } = office;
  const pairs = [
    ["clerk", "legal"],
    ["buyer", "shipping"],
    ["desk", "support"],
    ["writer", "analyst"],
    ["payroll", "ops"],
    ["planner", "buyer"],
  ] as const;
  return topics.slice(0, REPEATED).map((topic, index): Planted => {
    const [from, to] = pairs[index % pairs.length] ?? ["clerk", "legal"];
    const [thing, ...alike] = shuffled([...SLOTS[topic.slots]], field);
    talk.reserve(`${from}|${to}`, topic, thing ?? "");
    const uids = Array.from({ length: random.whole(6, 10) }, () => {
      const run = office.root(from, anyTime(field));
      const uid = office.ask(run, to, {
        question: worded(topic, thing ?? "", random),
        answer: topic.answer ?? talk.answer(),
      });
      office.close(run, "chat");
      return uid;
    });
    for (const other of alike.slice(0, 4)) ask(field, [from, to], talk.about(`${from}|${to}`, topic, other));
    return {
      code: topic.answer === null ? "repeated_question" : "answered_before",
      key: `${topic.slots}:${thing}`,
      uids,
    };
  });
}

function ask(field: Field, [from, to]: readonly [string, string], question: string | null): void {
  if (question === null) return;
  const run = field.office.root(from, anyTime(field));
  field.office.ask(run, to, { question, answer: field.talk.answer() });
  field.office.close(run, "chat");
}

function shuffled<T>(values: T[], { office }: Field): T[] {
  return values
    .map((value) => [office.random.next(), value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value);
}

/** Twice within a chain, once over many; beside clarifications that end. */
function pingPong(field: Field): Planted[] {
  const { office } = field;
  const talkOver = (ends: readonly [string, string], turns: number) => {
    const run = office.root(ends[0], anyTime(field));
    const work = office.task(run, ends[1], { title: "Angebot abstimmen", status: "done" });
    const taskId = office.corpus.tasks.at(-1)?.taskId ?? "";
    for (let turn = 0; turn < turns; turn += 1) {
      const [from, to] = turn % 2 === 0 ? [ends[1], ends[0]] : [ends[0], ends[1]];
      office.comment(work, [from, to], {
        content: `Dann lieber Variante ${turn}?`,
        at: work.at + turn * 20 * MINUTE_MS,
        taskId,
      });
    }
    office.close(work, "task");
    office.close(run, "chat");
    return run.rootRunId;
  };
  for (let calm = 0; calm < 30; calm += 1) talkOver(["writer", "legal"], office.random.whole(1, 3));
  const inChains = [
    ["analyst", "planner"],
    ["desk", "ops"],
  ] as const;
  return [
    ...inChains.map(
      (ends): Planted => ({ code: "ping_pong", key: talkOver(ends, office.random.whole(7, 12)) }),
    ),
    { code: "ping_pong", key: "payroll|shipping", uids: overChains(field) },
  ];
}

function overChains(field: Field): string[] {
  const { office, talk } = field;
  let at = anyTime(field);
  return Array.from({ length: 24 }, (_, turn) => {
    at += office.random.whole(1, 6) * MINUTE_MS;
    const [from, to] =
      turn % 2 === 0 ? (["payroll", "shipping"] as const) : (["shipping", "payroll"] as const);
    const run = office.root(from, at);
    const uid = office.ask(run, to, {
      question: talk.question("payroll|shipping"),
      answer: talk.answer(),
      at,
    });
    office.close(run, "chat");
    return uid;
  });
}

/** Much at once between two, by no rule: chance alternates now and then. */
function busyPair(field: Field): Planted[] {
  const { office } = field;
  const ends = ["auditor", "ops"] as const;
  const begin = anyTime(field);
  for (let turn = 0; turn < 150; turn += 1) {
    const [from, to] = office.random.chance(0.5) ? ends : ([ends[1], ends[0]] as const);
    const at = begin + turn * MINUTE_MS;
    const run = office.root(from, at);
    office.comment(run, [from, to], { content: `Stand ${turn}`, at, taskId: "busy" });
    office.close(run, "schedule");
  }
  return [];
}

/** One task after the other, each given when the result of the one before has woken who gives them: nothing is handed on. */
function wakes(field: Field): Planted[] {
  const { office } = field;
  let run = office.root("planner", anyTime(field));
  office.close(run, "chat");
  for (const agentId of ["clerk", "writer", "buyer", "support", "desk", "legal"]) {
    const work = office.task(run, agentId, { title: "Der Reihe nach", status: "done" });
    office.close(work, "task", agentId === "legal" ? { status: "failed" } : {});
    run = office.child(work, "planner", work.at + HOUR_MS);
    office.close(run, "task", agentId === "legal" ? { status: "failed" } : {});
  }
  return [];
}

/** One that costs many times what others do, and some that are handed on and on and fail at the end. */
function chains(field: Field): Planted[] {
  const { office } = field;
  const dear = office.root("writer", anyTime(field));
  for (let runs = 0; runs < 6; runs += 1)
    office.close(office.child(dear, "legal", dear.at + runs * MINUTE_MS), "task", { times: 120 });
  office.close(dear, "chat", { times: 120 });
  const deep = [0, 1].map((): Planted => {
    let run: Run = office.root("planner", anyTime(field));
    const { rootRunId } = run;
    office.close(run, "chat");
    const way = ["clerk", "writer", "buyer", "support", "desk", "clerk"];
    for (const [index, agentId] of way.entries()) {
      run = office.task(run, agentId, { title: "Weitergereicht", status: "done" });
      office.close(run, "task", index === way.length - 1 ? { status: "failed" } : {});
    }
    return { code: "deep_chain_fails", key: rootRunId };
  });
  return [{ code: "dear_chain", key: dear.rootRunId }, ...deep];
}

function failingPair(field: Field): Planted[] {
  const { office, talk } = field;
  for (let asks = 0; asks < 40; asks += 1) {
    const run = office.root("support", anyTime(field));
    const fails = office.random.chance(0.75);
    office.ask(run, "legal", {
      question: talk.question("support|legal"),
      answer: fails ? "Failed: provider error" : talk.answer(),
      ...(fails ? { status: "failed" as const } : {}),
    });
    office.close(run, "chat");
  }
  return [{ code: "failing_pair", key: "support|legal|ask" }];
}

/** One that never answers, one that only asks, one that runs out of steps. */
function habits(field: Field): Planted[] {
  const { office, talk } = field;
  for (let asks = 0; asks < 15; asks += 1) {
    const asking = office.root("clerk", anyTime(field));
    office.ask(asking, "mute", {
      question: talk.question("clerk|mute"),
      answer: "Timed out: no answer within 60 s",
      status: "timeout",
    });
    office.close(asking, "chat");
    const curious = office.root("curious", anyTime(field));
    office.ask(curious, "desk", { question: talk.question("curious|desk"), answer: talk.answer() });
    office.close(curious, "schedule");
    // People turn to this one: that no agent does is as it should be.
    const front = office.root("reception", anyTime(field));
    office.ask(front, "desk", { question: talk.question("reception|desk"), answer: talk.answer() });
    office.close(front, "chat");
    // Never reached, so it is not its fault that it never answers.
    const refused = office.root("clerk", anyTime(field));
    office.ask(refused, "strict", {
      question: talk.question("clerk|strict"),
      answer: "Not allowed",
      status: "denied",
    });
    office.close(refused, "chat");
  }
  for (let runs = 0; runs < 2_000; runs += 1)
    if (office.random.chance(0.2))
      office.close(office.root("auditor", anyTime(field)), "schedule", { status: "step_limit" });
  return [
    { code: "never_answers", key: "mute" },
    { code: "failing_pair", key: "clerk|mute|ask" },
    { code: "failing_pair", key: "clerk|strict|ask" },
    { code: "only_asks", key: "curious" },
  ];
}
