import { acceptRun } from "../core/agent/agent.ts";
import { listen } from "../core/agent/listen.ts";
import type { AcceptResult, World } from "../core/engine/world.ts";
import type { RunEvent } from "../core/events.ts";
import type { NewRun } from "../core/journal/runs.ts";
import { receiptView } from "../core/record/run-view.ts";

const encoder = new TextEncoder();
/** Bytes that a slow reader may fall behind before its stream is ended; the run goes on. */
const MAX_BEHIND = 16_000_000;

/** A line that says nothing, so that proxies and clients keep open a stream in which nothing happens. */
const HEARTBEAT_MS = 20_000;
const HEARTBEAT = encoder.encode(": still here\n\n");

/** Accepts the run and streams its events from the first one on. */
export function runEvents(world: World, run: NewRun) {
  return eventStream((listener) => {
    const accepted = acceptRun(world, run);
    if (accepted.ok) listen(world, run, listener);
    return accepted;
  }, world.sleep);
}

/**
 * A run's events as server-sent events. `subscribe` accepts the run and registers the listener; the stream
 * closes after `done`. A reader that leaves ends nothing but the stream.
 */
export function eventStream(
  subscribe: (listener: (event: RunEvent) => void) => AcceptResult,
  sleep: World["sleep"],
): { readonly accepted: AcceptResult; readonly readable: ReadableStream<Uint8Array> } {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const over = new AbortController();
  let behind = 0;
  const leave = () => over.abort();
  const send = (bytes: Uint8Array) => {
    behind += bytes.byteLength;
    if (behind > MAX_BEHIND) {
      leave();
      writer.abort().catch(leave);
      return;
    }
    writer.write(bytes).then(() => {
      behind -= bytes.byteLength;
    }, leave);
  };
  const accepted = subscribe((event) => {
    if (over.signal.aborted) return;
    const { type, ...data } = shown(event);
    send(encoder.encode(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`));
    if (type !== "done") return;
    writer.close().catch(leave);
    leave();
  });
  if (accepted.ok) beat({ sleep, over: over.signal, send: () => behind === 0 && send(HEARTBEAT) });
  return { accepted, readable };
}

interface Pulse {
  readonly sleep: World["sleep"];
  readonly over: AbortSignal;
  readonly send: () => void;
}

async function beat({ sleep, over, send }: Pulse): Promise<void> {
  while (!over.aborted) {
    await sleep(HEARTBEAT_MS, over);
    if (!over.aborted) send();
  }
}

/** Receipts as the API shows them. */
function shown(event: RunEvent) {
  return event.type === "done" ? { ...event, receipt: receiptView(event.receipt) } : event;
}
