/** What all clients share: an attempt never rejects, and ends the moment its signal aborts. */
import { describeError } from "../log.ts";
import { createAccumulator } from "./accumulator.ts";
import type { AttemptContext } from "./body.ts";
import { modelFailure } from "./failure.ts";
import type { AttemptOptions, ModelRequest, ModelResult } from "./types.ts";

/**
 * Runs `call` under the contract of `ModelClient.attempt`. An abort answers at once, though the network call
 * may not have noticed yet; text that still arrives after it is dropped.
 */
export function runAttempt(
  request: ModelRequest,
  options: AttemptOptions,
  call: (context: AttemptContext) => Promise<ModelResult>,
): Promise<ModelResult> {
  const { signal, onText } = options;
  const accumulator = createAccumulator((piece) => {
    if (!signal.aborted) onText?.(piece);
  });
  const aborted = (): ModelResult => ({
    ok: false,
    failure: modelFailure("aborted", "The model call was aborted", { partialText: accumulator.text() }),
  });
  if (signal.aborted) return Promise.resolve(aborted());
  return new Promise((resolve) => {
    const abort = () => resolve(aborted());
    signal.addEventListener("abort", abort, { once: true });
    void call({ request, signal, accumulator })
      .catch((error: unknown) => unexpected(error, accumulator.text()))
      .then((result) => {
        signal.removeEventListener("abort", abort);
        resolve(signal.aborted ? aborted() : result);
      });
  });
}

/** What no client foresaw is likely to happen again: it is reported, and not retried. */
function unexpected(error: unknown, partialText: string): ModelResult {
  const message = `The model call could not be made: ${describeError(error)}`;
  return { ok: false, failure: modelFailure("bad_request", message, { partialText }) };
}
