/** The stream of what happens, followed for as long as somebody is signed in. */
import { setReachable } from "../session/session.ts";
import { authorizedFetch } from "./client.ts";
import { readServerEvents, type ServerEvent } from "./server-events.ts";

/** `reset`: too much was missed; load anew what you show. `data` is what the API sent, parsed. */
export interface LiveEvent {
  readonly type: "message" | "run" | "task" | "notice" | "job" | "reset";
  readonly data: unknown;
}

const TYPES: readonly LiveEvent["type"][] = ["message", "run", "task", "notice", "job", "reset"];
const AGAIN_MS = 2_000;
/** The instance says something at least every 20 seconds; a connection silent for longer is dead. */
const SILENCE_MS = 45_000;

const listeners = new Set<(event: LiveEvent) => void>();

/** Calls back for each event from now on, in order. Returns how to stop. */
export function onLive(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the stream until the signal aborts; whenever it ends it is opened again after the last event seen. */
export async function followLive(signal: AbortSignal): Promise<void> {
  let lastId: string | null = null;
  const hear = (event: ServerEvent) => {
    lastId = event.id ?? lastId;
    tell(event);
  };
  while (!signal.aborted) {
    await followOnce(lastId, { hear, signal });
    if (!signal.aborted) await pause(AGAIN_MS, signal);
  }
}

async function followOnce(
  lastId: string | null,
  { hear, signal }: { hear(event: ServerEvent): void; signal: AbortSignal },
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  try {
    const response = await authorizedFetch("/api/live", {
      headers: lastId === null ? {} : { "last-event-id": lastId },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    setReachable(response.status < 502);
    if (response.ok && response.body !== null) await readServerEvents(response.body, { heard, event: hear });
  } catch {
    // The connection broke or was closed on purpose; it is opened again if it is still wanted.
  } finally {
    clearTimeout(timer);
    if (!signal.aborted && silence.signal.aborted) setReachable(false);
  }
  if (!signal.aborted) await probe(signal);
}

/** Asks the instance whether it is there: a stream that ended says nothing of why. */
export async function probe(signal: AbortSignal): Promise<void> {
  const reachable = await fetch("/api/health", { signal, cache: "no-store" }).then(
    (response) => response.ok,
    () => false,
  );
  if (!signal.aborted) setReachable(reachable);
}

function tell({ event, data }: ServerEvent): void {
  const type = TYPES.find((known) => known === event);
  if (type === undefined) return;
  const parsed = parse(data);
  for (const listener of listeners) listener({ type, data: parsed });
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    const timer = setTimeout(settle, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      settle();
    });
  });
}
