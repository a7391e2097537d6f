/** The open streams of the live feed. */
const encoder = new TextEncoder();
/** A line that says nothing, so that proxies keep an idle stream open. */
const HEARTBEAT_MS = 20_000;
export interface StreamLimits {
  readonly streams: number;
  /** Bytes that a slow reader may fall behind before it is dropped; it comes back with its last event's id. */
  readonly behind: number;
  /** Bytes that all of them together may be behind: they lie in the hub's memory. */
  readonly allBehind: number;
}

const LIMITS: StreamLimits = { streams: 500, behind: 4_000_000, allBehind: 32_000_000 };

interface OpenStream {
  /** Bytes that its reader has not taken yet. */
  behind: number;
  /** When its reader's credential expires; null when it does not. */
  readonly until: number | null;
}

export class LiveStreams {
  readonly #writers = new Map<WritableStreamDefaultWriter<Uint8Array>, OpenStream>();
  readonly #now: () => number;
  readonly #limits: StreamLimits;
  #allBehind = 0;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  /** `now`: epoch milliseconds. */
  constructor(now: () => number, limits: StreamLimits = LIMITS) {
    this.#now = now;
    this.#limits = limits;
  }

  /** A stream that ends when what its reader came in with is over; null when too many are open. */
  open(greeting: string, until: number | null): ReadableStream<Uint8Array> | null {
    if (this.#writers.size >= this.#limits.streams) return null;
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    this.#writers.set(writer, { behind: 0, until });
    this.#write(writer, encoder.encode(greeting));
    this.#heartbeat ??= setInterval(() => this.send(": still here\n\n"), HEARTBEAT_MS);
    return readable;
  }

  get isWatched(): boolean {
    return this.#writers.size > 0;
  }

  send(text: string): void {
    if (this.#writers.size === 0) return;
    const bytes = encoder.encode(text);
    for (const [writer, { until }] of this.#writers) {
      if (until !== null && until <= this.#now()) this.#end(writer);
      else this.#write(writer, bytes);
    }
  }

  /** Whoever is let in comes back by itself, after the last event that it has heard. */
  endAll(): void {
    for (const writer of this.#writers.keys()) this.#end(writer);
  }

  #write(writer: WritableStreamDefaultWriter<Uint8Array>, bytes: Uint8Array): void {
    const stream = this.#writers.get(writer);
    if (stream === undefined) return;
    stream.behind += bytes.byteLength;
    this.#allBehind += bytes.byteLength;
    const written = writer.write(bytes);
    written.then(
      () => this.#taken(writer, bytes.byteLength),
      () => this.#drop(writer),
    );
    if (stream.behind > this.#limits.behind) this.#drop(writer);
    else if (this.#allBehind > this.#limits.allBehind) this.#dropSlowest();
  }

  #taken(writer: WritableStreamDefaultWriter<Uint8Array>, bytes: number): void {
    const stream = this.#writers.get(writer);
    if (stream === undefined) return;
    stream.behind -= bytes;
    this.#allBehind -= bytes;
  }

  #dropSlowest(): void {
    const [slowest] = [...this.#writers].sort(([, a], [, b]) => b.behind - a.behind);
    if (slowest !== undefined) this.#drop(slowest[0]);
  }

  #end(writer: WritableStreamDefaultWriter<Uint8Array>): void {
    writer.close().catch(() => undefined);
    this.#forget(writer);
  }

  #drop(writer: WritableStreamDefaultWriter<Uint8Array>): void {
    writer.abort().catch(() => undefined);
    this.#forget(writer);
  }

  #forget(writer: WritableStreamDefaultWriter<Uint8Array>): void {
    this.#allBehind -= this.#writers.get(writer)?.behind ?? 0;
    this.#writers.delete(writer);
    if (this.#writers.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}
