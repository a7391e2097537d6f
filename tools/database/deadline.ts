import { Refusal } from "./refusal.ts";

/** One statement's time on the server, in milliseconds; where it can, the server itself ends it then. */
export const STATEMENT_MS = 10_000;
/** Until a connection stands. */
export const CONNECT_MS = 8_000;
/** For the whole call. Later than a server's own limit, whose answer says more than silence. */
const CALL_MS = 25_000;

export interface Bounds {
  readonly signal: AbortSignal;
  /** Cuts the connection at once, from whatever state it is in. Called at most once. */
  readonly cut: () => void;
}

/**
 * Settles like `work()` does, unless the signal fires or the call's time is up first: then the connection is
 * cut and the promise rejects, whether or not the driver ever notices.
 */
export async function within<T>({ signal, cut }: Bounds, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let release = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    const end = (reason: unknown) => {
      cut();
      reject(reason);
    };
    const onAbort = () => end(signal.reason);
    const timer = setTimeout(() => end(timeUp()), CALL_MS);
    signal.addEventListener("abort", onAbort, { once: true });
    release = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
  });
  try {
    return await Promise.race([work(), ended]);
  } finally {
    release();
  }
}

/** The failure of a statement that ran longer than allowed. */
export function timeUp(cause?: unknown): Refusal {
  return new Refusal(
    "time_limit",
    `The database did not answer within its time (${STATEMENT_MS / 1_000} s for a statement). Ask for less: narrower conditions, fewer rows.`,
    { cause },
  );
}
