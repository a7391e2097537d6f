/** What each agent asks, answers, gives and takes. */
import { addCounters, spreadOf } from "./histogram.ts";
import type { MessageSums } from "./read-rollups.ts";
import type { AgentFigure } from "./stats-view.ts";

/** Fewer messages are no habit. */
const MIN_ASKED = 10;
const MIN_WAS_ASKED = 5;

export function agentFigures(messages: readonly MessageSums[]): AgentFigure[] {
  const agents = new Set(messages.flatMap(({ from, to }) => [from, to]));
  return [...agents].sort().map((agentId) => agentFigure(agentId, messages));
}

function agentFigure(agentId: string, messages: readonly MessageSums[]): AgentFigure {
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
  return { ...figure, habit: habitOf(figure) };
}

function habitOf(figure: Omit<AgentFigure, "habit">): AgentFigure["habit"] {
  const { asked, wasAsked, answered, tasksTaken, results } = figure;
  // A person asks and is asked as it suits.
  if (figure.agentId === "@human") return null;
  if (wasAsked >= MIN_WAS_ASKED && answered === 0) return "never_answers";
  const nobodyTurnsToIt = wasAsked === 0 && tasksTaken === 0 && results === 0;
  return asked >= MIN_ASKED && nobodyTurnsToIt ? "only_asks" : null;
}
