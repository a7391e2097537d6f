/** The one place where findings become sentences: English, for the API and the tool. The viewer has its own from the codes. */
import type { Cause, Finding, FindingCode } from "./finding.ts";

type Told = Omit<Finding, "text" | "causeText">;

export function withSentences(finding: Told): Finding {
  return { ...finding, text: REASONS[finding.code](finding), causeText: CAUSE_TEXTS[finding.cause] };
}

const agent = ({ agents }: Told, index: number) => agents[index] ?? "somebody";
const number = ({ numbers }: Told, name: string) => numbers[name] ?? "an unknown number of";
const dollars = (finding: Told, name: string) => {
  const value = finding.numbers[name] ?? null;
  return value === null ? "an unknown amount" : `$${value.toFixed(4)}`;
};

const times = ({ count, numbers }: Told) => `${numbers.atLeast === 1 ? "at least " : ""}${count} times`;

function answersOf({ numbers: { answered = null, sameAnswers = null } }: Told): string {
  if (answered === 0) return "none was answered";
  if (answered === 1) return "one was answered";
  const all = `${answered ?? "an unknown number"} were answered`;
  return (sameAnswers ?? 0) === 0
    ? `${all}, each in another way than the one before`
    : `${all}, ${sameAnswers} of them like the one before, the others in another way`;
}

const hours = (count: number) => (count === 1 ? "an hour" : `${count} hours`);

const REASONS: Readonly<Record<FindingCode, (finding: Told) => string>> = {
  silted_task: (finding) =>
    `The task ${finding.taskId} that ${agent(finding, 0)} gave to ${agent(finding, 1)} is not finished, and nothing has happened for ${hours(finding.count)}.`,
  repeated_question: (finding) =>
    `${agent(finding, 0)} has asked ${agent(finding, 1)} the same thing ${times(finding)}; ${answersOf(finding)}.`,
  answered_before: (finding) =>
    `${agent(finding, 0)} has asked ${agent(finding, 1)} the same thing ${times(finding)} and got the same answer ${number(finding, "sameAnswers")} times again: the first answer, or a file with it, would have done.`,
  ping_pong: (finding) =>
    `${agent(finding, 0)} and ${agent(finding, 1)} turned to each other ${finding.count} times by turns without getting on.`,
  dear_chain: (finding) =>
    `A chain that ${agent(finding, 0)} was instructed with cost ${dollars(finding, "costUsd")}, where half of all cost at most ${dollars(finding, "medianUsd")} and 95 per cent at most ${dollars(finding, "p95Usd")}.`,
  deep_chain_fails: (finding) =>
    `A chain that began at ${agent(finding, 0)} was handed on to depth ${finding.count} and failed there.`,
  failing_pair: (finding) =>
    `Of ${number(finding, "total")} messages that ${agent(finding, 0)} sent to ${agent(finding, 1)} as ${finding.channel}, ${finding.count} came to nothing: ${number(finding, "failed")} failed, ${number(finding, "timeout")} timed out, ${number(finding, "denied")} were denied.`,
  failing_channel: (finding) =>
    `Of ${number(finding, "total")} messages over ${finding.channel}, ${finding.count} came to nothing, with several pairs: ${number(finding, "failed")} failed, ${number(finding, "timeout")} timed out, ${number(finding, "denied")} were denied.`,
  failing_hour: (finding) =>
    `Between ${number(finding, "hour")}:00 and ${number(finding, "hour")}:59 UTC ${finding.count} of ${number(finding, "total")} messages came to nothing, far more than at other hours.`,
  step_limits: (finding) =>
    `${agent(finding, 0)} ran out of steps in ${finding.count} of ${number(finding, "runs")} runs.`,
  only_asks: (finding) =>
    `${agent(finding, 0)} has asked ${finding.count} times; no agent asks it or gives it anything, and no result came from it.`,
  never_answers: (finding) =>
    `${agent(finding, 0)} was asked ${finding.count} times and has not answered once.`,
};

const CAUSE_TEXTS: Readonly<Record<Cause, string>> = {
  unclear_responsibility:
    "Likely unclear responsibility: write into the prompts who decides, who finishes, and who tells whom when it is done.",
  missing_knowledge: "Likely a missing file or skill: put the answer where the asking agent can read it.",
  failing_colleague: "Likely the colleague fails: look at its runs, its model and its tools.",
  small_budget: "Likely too small a budget of steps or time: raise the limits, or hand out smaller tasks.",
  not_allowed: "Likely not allowed: look at the colleagues in the config, and at the chain's limits.",
  overload: "Likely too much at once, or a service that is away at that time: spread schedules out.",
};
