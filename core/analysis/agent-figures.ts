/** What each agent asks, answers, gives and takes. */

import type { Trigger } from "../lineage.ts";
import { addCounters, spreadOf } from "./histogram.ts";
import type { MessageSums, RunSums } from "./read-rollups.ts";
import type { AgentFigure } from "./stats-view.ts";

/** Fewer messages are no habit. */
const MIN_ASKED = 10;
const MIN_WAS_ASKED = 5;

/** Whoever is turned to in one of these ways speaks with people, or with programs of theirs. */
const FROM_OUTSIDE: readonly string[] = ["chat", "run", "email", "webhook"] satisfies readonly Trigger[];

export function agentFigures(messages: readonly MessageSums[], runs: readonly RunSums[]): AgentFigure[] {
  const agents = new Set(messages.flatMap(({ from, to }) => [from, to]));
  const desks = new Set(
    runs.filter(({ trigger }) => FROM_OUTSIDE.includes(trigger)).map(({ agentId }) => agentId),
  );
  return [...agents].sort().map((agentId) => agentFigure(agentId, messages, desks.has(agentId)));
}

function agentFigure(agentId: string, messages: readonly MessageSums[], isDesk: boolean): AgentFigure {
  const sent = messages.filter(({ from }) => from === agentId);
  const got = messages.filter(({ to }) => to === agentId);
  const sum = (all: readonly MessageSums[], channel: string, value: (sums: MessageSums) => number) =>
    all.filter((each) => each.channel === channel).reduce((total, each) => total + value(each), 0);
  const figure = {
    agentId,
    asked: sum(sent, "ask", (each) => each.requests),
    wasAsked: sum(got, "ask", (each) => each.requests),
    answered: sum(
      sent,
      "ask",
      (each) => each.responses - each.responseFailed - each.responseTimeout - each.responseDenied,
    ),
    tasksGiven: sum(sent, "task", (each) => each.requests - each.requestDenied),
    tasksTaken: sum(got, "task", (each) => each.requests - each.requestDenied),
    results: sum(sent, "task_result", (each) => each.responses),
    answerMs: spreadOf(
      addCounters(sent.filter(({ channel }) => channel === "ask").map(({ waits }) => waits)),
    ),
  };
  // What was refused never reached anybody, and what is still open is nobody's fault yet.
  const over = (all: readonly MessageSums[]) =>
    sum(all, "ask", (each) => each.responses - each.responseDenied);
  const reached = sum(got, "ask", (each) => each.requests - each.requestDenied);
  const habit = habitOf(figure, { asks: over(got), wasAsked: over(sent), reached, isDesk });
  return { ...figure, habit };
}

interface Asks {
  /** Its own asks that are over. */
  readonly asks: number;
  /** Those of others to it that are over. */
  readonly wasAsked: number;
  /** Those of others to it, open ones too. */
  readonly reached: number;
  readonly isDesk: boolean;
}

function habitOf(figure: Omit<AgentFigure, "habit">, asks: Asks): AgentFigure["habit"] {
  // A person asks and is asked as it suits.
  if (figure.agentId === "@human") return null;
  if (asks.wasAsked >= MIN_WAS_ASKED && figure.answered === 0) return "never_answers";
  const nobodyTurnsToIt =
    asks.reached === 0 && figure.tasksTaken === 0 && figure.results === 0 && !asks.isDesk;
  return asks.asks >= MIN_ASKED && nobodyTurnsToIt ? "only_asks" : null;
}
