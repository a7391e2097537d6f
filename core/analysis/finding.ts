/** What the analysis found: literal codes and numbers; `sentences.ts` makes English of them, the viewer both languages. */
import type { MessageChannel } from "../record/vocabulary.ts";

export const FINDING_CODES = [
  "silted_task",
  "repeated_question",
  "answered_before",
  "ping_pong",
  "dear_chain",
  "deep_chain_fails",
  "failing_pair",
  "failing_channel",
  "failing_hour",
  "step_limits",
  "only_asks",
  "never_answers",
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

export const CAUSES = [
  "unclear_responsibility",
  "missing_knowledge",
  "failing_colleague",
  "small_budget",
  "not_allowed",
  "overload",
] as const;
export type Cause = (typeof CAUSES)[number];

export interface FindingText {
  /** The beginning, at most 300 characters; null when the message is no longer on record. */
  readonly question: string | null;
  readonly answer: string | null;
}

export interface Finding {
  /** The same for the same trouble whenever it is looked for: `code:key`. */
  readonly id: string;
  readonly code: FindingCode;
  readonly cause: Cause;
  /** Why it is shown, and what the cause may be; made in one place. English. */
  readonly text: string;
  readonly causeText: string;
  /** How often, how many: what the sentence counts. Findings of one code are sorted by it. */
  readonly count: number;
  /** What the code's sentence needs besides, see docs/analysis.md. Null is unknown. */
  readonly numbers: Readonly<Record<string, number | null>>;
  /** Who is concerned, in the order in which the sentence names them: who asks first, whom second. */
  readonly agents: readonly string[];
  readonly channel: MessageChannel | null;
  readonly taskId: string | null;
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  /** The messages behind it, newest last, at most 20, as ids for `GET /api/messages/:id` and `around`. */
  readonly messageIds: readonly number[];
  /** The chains behind it, at most 20. */
  readonly rootRunIds: readonly string[];
  readonly example: FindingText | null;
}

export interface Findings {
  readonly period: { readonly since: string | null; readonly before: string | null };
  readonly pending: number;
  /** Grouped by code in the order of `FINDING_CODES`, at most 50 of each. */
  readonly findings: readonly Finding[];
}
