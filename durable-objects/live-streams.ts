import type { LiveEvent } from "../core/events.ts";
import type { FeedEvent } from "../core/hub/feed.ts";
import { receiptView } from "../core/record/run-view.ts";

/** One event in the server-sent form. */
export function formatEvent(item: FeedEvent): string {
  return `id: ${item.id}\nevent: ${item.event.type}\ndata: ${JSON.stringify(shown(item.event))}\n\n`;
}

/** Tells a viewer to load its page anew; it goes on after this id. */
export function formatReset(lastId: number): string {
  return `id: ${lastId}\nevent: reset\ndata: {}\n\n`;
}

/** Receipts as the API shows them. */
function shown(event: LiveEvent) {
  if (event.type !== "run" || event.receipt === null) return event;
  return { ...event, receipt: receiptView(event.receipt) };
}

const encoder = new TextEncoder();
/** A line that says nothing, so that proxies keep an idle stream open. */
const HEARTBEAT_MS = 20_000;
/** Bytes that a slow reader may fall behind before it is dropped; it comes back with its last event's id. */
const MAX_BEHIND = 4_000_000;

/** The open streams of the live feed. */
export class LiveStreams {
  readonly #writers = new Map<WritableStreamDefaultWriter<Uint8Array>, number>();
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  open(greeting: string): ReadableStream<Uint8Array> {
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    this.#writers.set(writer, 0);
    this.#write(writer, encoder.encode(greeting));
    this.#heartbeat ??= setInterval(() => this.send(": still here\n\n"), HEARTBEAT_MS);
    return readable;
  }

  send(text: string): void {
    if (this.#writers.size === 0) return;
    const bytes = encoder.encode(text);
    for (const writer of this.#writers.keys()) this.#write(writer, bytes);
  }

  #write(writer: WritableStreamDefaultWriter<Uint8Array>, bytes: Uint8Array): void {
    const behind = (this.#writers.get(writer) ?? 0) + bytes.byteLength;
    if (behind > MAX_BEHIND) {
      this.#drop(writer);
      return;
    }
    this.#writers.set(writer, behind);
    writer.write(bytes).then(
      () =>
        this.#writers.has(writer) &&
        this.#writers.set(writer, (this.#writers.get(writer) ?? 0) - bytes.byteLength),
      () => this.#drop(writer),
    );
  }

  #drop(writer: WritableStreamDefaultWriter<Uint8Array>): void {
    this.#writers.delete(writer);
    writer.abort().catch(() => undefined);
    if (this.#writers.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}
