/** Figures of a report; everything is quiet until a test changes it. */
import type { Finding } from "../../../core/analysis/finding.ts";
import { withSentences } from "../../../core/analysis/sentences.ts";
import type { DearChain, Delegations } from "../../../core/analysis/stats-view.ts";
import type { PeriodFigures, ReportFigures } from "../../../core/report/figures.ts";

const DAY_MS = 86_400_000;
/** A Monday, seven o'clock in Berlin. */
export const TICK = Date.parse("2026-06-15T05:00:00Z");

const NO_DELEGATIONS: Delegations = {
  total: 0,
  result: 0,
  blocked: 0,
  rejected: 0,
  cancelled: 0,
  silted: 0,
  open: 0,
  denied: 0,
  unknown: 0,
};

export function period(changes: Partial<PeriodFigures> = {}): PeriodFigures {
  return {
    messages: 0,
    runs: 0,
    delegations: NO_DELEGATIONS,
    asks: { asked: 0, answered: 0, late: 0, failed: 0, denied: 0 },
    answerMs: null,
    costUsd: null,
    unpricedRuns: 0,
    ...changes,
  };
}

export function busyPeriod(changes: Partial<PeriodFigures> = {}): PeriodFigures {
  return period({
    messages: 1_240,
    runs: 620,
    delegations: { ...NO_DELEGATIONS, total: 12, result: 8, blocked: 1, silted: 2, open: 1 },
    asks: { asked: 600, answered: 590, late: 4, failed: 5, denied: 1 },
    answerMs: 12_340,
    costUsd: 1234.5,
    ...changes,
  });
}

export function figures(changes: Partial<ReportFigures> = {}): ReportFigures {
  const start = TICK - 7 * DAY_MS;
  return {
    periods: { now: { start, end: TICK }, before: { start: start - 7 * DAY_MS, end: start } },
    now: busyPeriod(),
    before: period(),
    dearest: [],
    silted: [],
    findings: [],
    pending: 0,
    ...changes,
  };
}

export function dearChain(changes: Partial<DearChain> = {}): DearChain {
  return {
    rootRunId: "boss.0mb1abcdefghij",
    agentId: "boss",
    trigger: "chat",
    model: "some-model",
    startedAt: "2026-06-10T10:00:00.000Z",
    durationMs: 5_000,
    runs: 12,
    depth: 3,
    costUsd: 0.5,
    unpricedRuns: 0,
    ...changes,
  };
}

export function finding(changes: Partial<Finding> = {}): Finding {
  return withSentences({
    id: "never_answers:writer",
    code: "never_answers",
    cause: "failing_colleague",
    count: 9,
    numbers: {},
    agents: ["writer"],
    channel: "ask",
    taskId: null,
    firstAt: null,
    lastAt: null,
    messageIds: [],
    rootRunIds: [],
    example: { question: "the words of a question", answer: "the words of an answer" },
    ...changes,
  });
}
