import type { AcceptResult } from "../core/engine/world.ts";
import type { RunEvent } from "../core/events.ts";
import { receiptView } from "../core/record/run-view.ts";

const encoder = new TextEncoder();

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
  const leave = () => {
    open = false;
  };
  const accepted = subscribe((event) => {
    if (!open) return;
    const { type, ...data } = shown(event);
    writer.write(encoder.encode(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)).catch(leave);
    if (type === "done") writer.close().catch(leave);
  });
  return { accepted, readable };
}

/** Receipts as the API shows them. */
function shown(event: RunEvent) {
  return event.type === "done" ? { ...event, receipt: receiptView(event.receipt) } : event;
}
