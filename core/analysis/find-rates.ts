/** Findings from sums: where trouble piles up, who only asks, who runs out of steps. No I/O. */

import type { MessageChannel } from "../record/vocabulary.ts";
import { MESSAGE_CHANNELS } from "../record/vocabulary.ts";
import { agentFigures } from "./agent-figures.ts";
import type { Cause, FindingCode } from "./finding.ts";
import { addCounters } from "./histogram.ts";
import { surelyAtLeast } from "./message-counts.ts";
import type { MessageSums, RunSums } from "./read-rollups.ts";
import type { AgentFigure } from "./stats-view.ts";

/** A finding before its messages are looked up. */
export interface RateFinding {
  readonly code: Extract<
    FindingCode,
    "failing_pair" | "failing_channel" | "failing_hour" | "step_limits" | "only_asks" | "never_answers"
  >;
  readonly key: string;
  readonly cause: Cause;
  readonly count: number;
  readonly numbers: Readonly<Record<string, number | null>>;
  readonly agents: readonly string[];
  readonly channel: MessageChannel | null;
  /** UTC; only of `failing_hour`. */
  readonly hour: number | null;
}

export function rateFindings(messages: readonly MessageSums[], runs: readonly RunSums[]): RateFinding[] {
  const exchanges = exchangesOf(messages);
  const pairs = failingPairs(exchanges);
  return [
    ...pairs,
    ...failingChannels(exchanges),
    ...failingHours(messages.filter((sums) => !pairs.some((pair) => isBetween(sums, pair)))),
    ...stepLimits(runs),
    ...habits(agentFigures(messages, runs)),
  ];
}

interface Trouble {
  readonly failed: number;
  readonly timeout: number;
  readonly denied: number;
}

/** What one agent wanted of another over a channel, and how often it came to nothing. An ask counts by its answer. */
interface Exchange extends Trouble {
  readonly from: string;
  readonly to: string;
  readonly channel: MessageChannel;
  readonly total: number;
}

function exchangesOf(messages: readonly MessageSums[]): Exchange[] {
  return messages.flatMap((sums): Exchange[] => {
    const { from, to, channel } = sums;
    if (channel === "ask")
      return sums.responses === 0
        ? []
        : [
            {
              from: to,
              to: from,
              channel,
              total: sums.responses,
              failed: sums.responseFailed,
              timeout: sums.responseTimeout,
              denied: sums.responseDenied,
            },
          ];
    const total = sums.requests + sums.responses;
    const trouble = {
      failed: sums.requestFailed + sums.responseFailed,
      timeout: sums.requestTimeout + sums.responseTimeout,
      denied: sums.requestDenied + sums.responseDenied,
    };
    return total === 0 ? [] : [{ from, to, channel, total, ...trouble }];
  });
}

const MIN_TROUBLE = 5;
/** The rate of trouble that nobody should be content with, and how many times that of the others it must be. */
const MIN_RATE = 0.1;
const TIMES_OTHERS = 2;

const troubleOf = ({ failed, timeout, denied }: Trouble) => failed + timeout + denied;

interface Rated {
  readonly total: number;
  readonly trouble: number;
}

interface Among {
  readonly all: Rated;
  /** How many rates are compared. */
  readonly rates: number;
  readonly minRate?: number;
}

/** In all likelihood worse than the others, and bad in itself. */
function pilesUp({ total, trouble }: Rated, { all, rates, minRate = MIN_RATE }: Among): boolean {
  const others = all.total === total ? 0 : (all.trouble - trouble) / (all.total - total);
  const rate = surelyAtLeast(trouble, total, rates);
  return trouble >= MIN_TROUBLE && rate >= Math.max(minRate, TIMES_OTHERS * others);
}

function sumOf(all: readonly Exchange[]): Exchange & Rated {
  const sum = (value: (exchange: Exchange) => number) => all.reduce((total, each) => total + value(each), 0);
  const counts = {
    total: sum((each) => each.total),
    failed: sum((each) => each.failed),
    timeout: sum((each) => each.timeout),
    denied: sum((each) => each.denied),
  };
  const { from = "", to = "", channel = "ask" } = all[0] ?? {};
  return { from, to, channel, ...counts, trouble: troubleOf(counts) };
}

function failingPairs(exchanges: readonly Exchange[]): RateFinding[] {
  const all = sumOf(exchanges);
  return exchanges.flatMap((exchange): RateFinding[] => {
    const trouble = troubleOf(exchange);
    const { from, to, channel, total, failed, timeout, denied } = exchange;
    if (!pilesUp({ total, trouble }, { all, rates: exchanges.length })) return [];
    return [
      {
        code: "failing_pair",
        key: `${from}|${to}|${channel}`,
        cause: causeOf(exchange),
        count: trouble,
        numbers: { total, failed, timeout, denied },
        agents: [from, to],
        channel,
        hour: null,
      },
    ];
  });
}

function failingChannels(exchanges: readonly Exchange[]): RateFinding[] {
  const all = sumOf(exchanges);
  return MESSAGE_CHANNELS.flatMap((channel): RateFinding[] => {
    const own = exchanges.filter((each) => each.channel === channel);
    const sum = sumOf(own);
    // What one pair alone makes of it is that pair's finding.
    const pairs = own.filter((each) => troubleOf(each) > 0).length;
    if (pairs < 3 || !pilesUp(sum, { all, rates: MESSAGE_CHANNELS.length }) || isOnePairs(own, sum))
      return [];
    const { total, failed, timeout, denied, trouble } = sum;
    return [
      {
        code: "failing_channel",
        key: channel,
        cause: causeOf(sum),
        count: trouble,
        numbers: { total, failed, timeout, denied },
        agents: [],
        channel,
        hour: null,
      },
    ];
  });
}

function isOnePairs(own: readonly Exchange[], sum: Rated): boolean {
  return own.some((each) => troubleOf(each) > sum.trouble / 2);
}

/** So many comparisons are made that chance alone would show one now and then: an hour must be clearly worse. */
const MIN_HOUR_TROUBLE = 10;
const MIN_HOUR_RATE = MIN_RATE / 2;

/** Whose trouble has a finding of its own, it does not make an hour bad. */
function isBetween({ from, to, channel }: MessageSums, pair: RateFinding): boolean {
  return pair.channel === channel && pair.agents.includes(from) && pair.agents.includes(to);
}

function failingHours(messages: readonly MessageSums[]): RateFinding[] {
  const counters = addCounters(messages.map(({ byHour }) => byHour));
  const hours = Array.from({ length: 24 }, (_, hour) => {
    const name = String(hour).padStart(2, "0");
    return { hour, total: counters[`o${name}`] ?? 0, trouble: counters[`x${name}`] ?? 0 };
  });
  const all = {
    total: hours.reduce((sum, { total }) => sum + total, 0),
    trouble: hours.reduce((sum, { trouble }) => sum + trouble, 0),
  };
  return hours.flatMap(({ hour, total, trouble }): RateFinding[] =>
    trouble >= MIN_HOUR_TROUBLE &&
    pilesUp({ total, trouble }, { all, rates: hours.length, minRate: MIN_HOUR_RATE })
      ? [
          {
            code: "failing_hour",
            key: String(hour),
            cause: "overload",
            count: trouble,
            numbers: { hour, total },
            agents: [],
            channel: null,
            hour,
          },
        ]
      : [],
  );
}

function causeOf({ failed, timeout, denied }: Trouble): Cause {
  if (denied > failed + timeout) return "not_allowed";
  return timeout > failed ? "small_budget" : "failing_colleague";
}

const MIN_STEP_LIMITS = 3;
const MIN_STEP_LIMIT_RATE = 0.05;

function stepLimits(runs: readonly RunSums[]): RateFinding[] {
  const agents = [...Map.groupBy(runs, ({ agentId }) => agentId)];
  return agents.flatMap(([agentId, own]): RateFinding[] => {
    const total = own.reduce((sum, each) => sum + each.runs, 0);
    const count = own.reduce((sum, each) => sum + each.stepLimit, 0);
    if (count < MIN_STEP_LIMITS || surelyAtLeast(count, total, agents.length) < MIN_STEP_LIMIT_RATE)
      return [];
    return [
      {
        code: "step_limits",
        key: agentId,
        cause: "small_budget",
        count,
        numbers: { runs: total },
        agents: [agentId],
        channel: null,
        hour: null,
      },
    ];
  });
}

function habits(agents: readonly AgentFigure[]): RateFinding[] {
  return agents.flatMap(({ agentId, habit, asked, wasAsked }): RateFinding[] => {
    if (habit === null) return [];
    const only = habit === "only_asks";
    return [
      {
        code: habit,
        key: agentId,
        cause: only ? "unclear_responsibility" : "failing_colleague",
        count: only ? asked : wasAsked,
        numbers: {},
        agents: [agentId],
        channel: "ask",
        hour: null,
      },
    ];
  });
}
