/** A run's steps with their tool calls, whether its own object still has them or only the record. */
import type { RunDetail } from "../api/types.ts";

export interface ShownCall {
  readonly key: string;
  readonly name: string;
  /** Null while the call is not over. */
  readonly outcome: string | null;
  readonly arguments: string | null;
  readonly result: string | null;
  readonly error: string | null;
  /** Milliseconds; null where its end is unknown. */
  readonly durationMs: number | null;
}

export interface ShownStep {
  /** From 1; null where only the calls are known. */
  readonly number: number | null;
  readonly text: string;
  readonly calls: readonly ShownCall[];
}

/** Steps name calls and results, audit entries arguments and errors, both in the same order. */
export function stepsOf({ run, audit }: RunDetail): ShownStep[] {
  if (!("steps" in run)) {
    const calls = audit.map((entry) => ({ ...callOf(entry), result: null }));
    return calls.length === 0 ? [] : [{ number: null, text: "", calls }];
  }
  let next = 0;
  return run.steps.map(({ step, text, calls }) => ({
    number: step + 1,
    text,
    calls: calls.map((call, index) => {
      const entry = call.outcome === null ? undefined : audit[next++];
      const known = entry === undefined ? UNKNOWN : callOf(entry);
      return {
        ...known,
        key: `${step} ${index}`,
        name: call.name,
        outcome: call.outcome,
        result: call.result,
      };
    }),
  }));
}

const UNKNOWN = { arguments: null, error: null, durationMs: null };

function callOf({ uid, tool, outcome, error, durationMs, ...rest }: RunDetail["audit"][number]) {
  return { key: uid, name: tool, outcome, error, durationMs, arguments: rest.arguments };
}
