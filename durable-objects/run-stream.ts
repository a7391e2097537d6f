import type { AcceptResult } from "../core/engine/world.ts";
import type { RunEvent } from "../core/events.ts";
import { receiptView } from "../core/record/run-view.ts";

const encoder = new TextEncoder();
/** Bytes that a slow reader may fall behind before its stream is ended; the run goes on. */
const MAX_BEHIND = 16_000_000;

/**
 * A run's events as server-sent events. `subscribe` accepts the run and registers the listener; the stream
 * closes after `done`. A reader that leaves ends nothing but the stream.
 */
export function eventStream(subscribe: (listener: (event: RunEvent) => void) => AcceptResult): {
  readonly accepted: AcceptResult;
  readonly readable: ReadableStream<Uint8Array>;
} {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  let open = true;
  let behind = 0;
  const leave = () => {
    open = false;
  };
  const accepted = subscribe((event) => {
    if (!open) return;
    const { type, ...data } = shown(event);
    const bytes = encoder.encode(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    behind += bytes.byteLength;
    if (behind > MAX_BEHIND) {
      leave();
      writer.abort().catch(leave);
      return;
    }
    writer.write(bytes).then(() => {
      behind -= bytes.byteLength;
    }, leave);
    if (type === "done") writer.close().catch(leave);
  });
  return { accepted, readable };
}

/** Receipts as the API shows them. */
function shown(event: RunEvent) {
  return event.type === "done" ? { ...event, receipt: receiptView(event.receipt) } : event;
}
