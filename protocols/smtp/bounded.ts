/** Work on a connection that ends, whatever happens, with the connection closed. */

/** The work took longer than it may in all. */
export class TimeIsUp extends Error {
  override readonly name = "TimeIsUp";
}

export interface Bounds {
  readonly signal: AbortSignal;
  /** Milliseconds for the whole work. */
  readonly totalMs: number;
}

/**
 * Settles as the work does; rejects with the signal's reason when it aborts and with {@link TimeIsUp} when the
 * time is over. Then, in each of these cases, calls what the work has given to `onEnd`, once: close sockets there.
 */
export async function bounded<T>(
  { signal, totalMs }: Bounds,
  work: (onEnd: (cleanUp: () => void) => void) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const cleanUps: (() => void)[] = [];
  let ended = false;
  const onEnd = (cleanUp: () => void) => {
    if (ended) cleanUp();
    else cleanUps.push(cleanUp);
  };
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => reject(new TimeIsUp(`not done after ${totalMs} ms`)), totalMs);
  try {
    return await Promise.race([work(onEnd), interrupted]);
  } finally {
    ended = true;
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    for (const cleanUp of cleanUps) cleanUp();
  }
}
