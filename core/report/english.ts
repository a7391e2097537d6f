import { withSentences } from "../analysis/sentences.ts";
import type { ReportWords } from "./words.ts";

export const english: ReportWords = {
  locale: "en-US",
  unknown: "unknown",
  nothing: (from, to) => `Nothing was recorded from ${from} to ${to}.`,
  title: (from, to, days) =>
    `What the agents did from ${from} to ${to}. In brackets: the ${days === 1 ? "day" : `${days} days`} before.`,
  delegations: (n) =>
    `Delegations: ${n("total")}. Result ${n("result")}, blocked ${n("blocked")}, rejected ${n("rejected")}, cancelled ${n("cancelled")}, silted up ${n("silted")}, under way ${n("open")}, denied ${n("denied")}, unknown ${n("unknown")}.`,
  asks: (n) =>
    `Asks: ${n("asked")}. Answered ${n("answered")}, too late ${n("late")}, failed ${n("failed")}, denied ${n("denied")}.`,
  answer: (median) => `Time to answer, median: ${median}.`,
  cost: (cost) => `Cost: ${cost}.`,
  unpriced: (unpriced, runs) =>
    `Of ${unpriced} of ${runs} runs the price is unknown; they are not in the cost.`,
  dearest: "Dearest chains:",
  dear: ({ cost, runs, agent, chain, atLeast }) =>
    `- ${atLeast ? "at least " : ""}${cost}, runs: ${runs}, begun at ${agent}: ${chain}`,
  silted: (count) => `Silted up, whenever they were given: ${count}`,
  siltedTask: ({ task, creator, assignee, hours }) =>
    `- ${task} from ${creator} to ${assignee}: nothing for ${hours} h`,
  findings: (count) => `Findings: ${count}`,
  finding: (finding) => {
    const { text, causeText } = withSentences(finding);
    return `- ${text} ${causeText}`;
  },
  more: (count) => `- and ${count} more`,
  pending: (count) => `Not yet in the figures of chains and in the findings: ${count} chains and questions.`,
  link: (address) => `More: ${address}`,
};
