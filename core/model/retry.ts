/** Whether and when a failed model call is made again. Pure; one deadline stands over all attempts. */
import { backOffMs } from "../back-off.ts";
import type { ModelErrorCode, ModelFailure } from "./types.ts";

const MAX_ATTEMPTS = 6;
const WAITS = { firstMs: 500, longestMs: 30_000 };

export interface RetryInput {
  readonly failure: ModelFailure;
  /** Counted from 1: the attempt that failed. */
  readonly attempt: number;
  /** Milliseconds since the epoch, as is `deadline`. */
  readonly now: number;
  readonly deadline: number;
  /** From 0 to 1. */
  readonly random: number;
}

export type RetryDecision =
  | { readonly retry: true; readonly afterMs: number }
  | { readonly retry: false; readonly reason: "not_retryable" | "too_many" | "deadline" };

/**
 * Decides about the next attempt. A provider's `retryAfterMs` is honoured to the millisecond, however long,
 * if it ends before the deadline; a provider that says 0 says nothing, and gets the back-off.
 */
export function nextAttempt(input: RetryInput): RetryDecision {
  if (!isRetryable(input.failure.code)) return { retry: false, reason: "not_retryable" };
  if (input.attempt >= MAX_ATTEMPTS) return { retry: false, reason: "too_many" };
  const afterMs = input.failure.retryAfterMs || backOffMs(WAITS, input.attempt, input.random);
  if (input.now + afterMs >= input.deadline) return { retry: false, reason: "deadline" };
  return { retry: true, afterMs };
}

function isRetryable(code: ModelErrorCode): boolean {
  switch (code) {
    case "rate_limited":
    case "overloaded":
    case "network":
    case "bad_response":
    case "timeout":
      return true;
    case "quota":
    case "aborted":
    case "context_overflow":
    case "auth":
    case "not_found":
    case "bad_request":
      return false;
  }
}
