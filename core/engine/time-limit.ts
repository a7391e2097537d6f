/** A signal that aborts with its parent or after some time, whichever comes first. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Whether the time ran out (and not the parent). */
  expired(): boolean;
  /** Ends the timer; call it once the work is done. */
  clear(): void;
}

export function timeLimit(parent: AbortSignal, ms: number): TimeLimit {
  const controller = new AbortController();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    controller.abort();
  }, ms);
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    expired: () => expired,
    clear: () => {
      clearTimeout(timer);
      parent.removeEventListener("abort", follow);
    },
  };
}

/** Resolves once the signal aborts. Ask for it before anybody else gets the signal: listeners can stop an event. */
export function whenAborted(signal: AbortSignal): Promise<"aborted"> {
  if (signal.aborted) return Promise.resolve("aborted");
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}

/** The promise's value, or the fallback as soon as the signal aborts. The promise must not reject. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal, fallback: () => T): Promise<T> {
  if (signal.aborted) return Promise.resolve(fallback());
  return new Promise((resolve) => {
    const give = () => resolve(fallback());
    signal.addEventListener("abort", give, { once: true });
    promise.then((value) => {
      signal.removeEventListener("abort", give);
      resolve(value);
    });
  });
}
