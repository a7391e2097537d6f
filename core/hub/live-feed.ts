/**
 * The live feed: events in order with ids, the newest of them kept in memory so that a viewer that was away for a
 * moment can resume. Nothing of it is written down: what counts is in the record, and a viewer that comes back to
 * a feed that has begun anew loads its page anew.
 */
import type { LiveEvent } from "../events.ts";
import { receiptView } from "../record/run-view.ts";

/** Characters that a viewer gets at once; one that was away for longer loads its page anew. */
const KEPT_UNITS = 1_000_000;
/** A feed that begins anew goes on with ids above those of the one before. */
const IDS_PER_MS = 100;

interface KeptEvent {
  readonly id: number;
  /** In the server-sent form. */
  readonly text: string;
}

export class LiveFeed {
  readonly #kept: KeptEvent[] = [];
  #units = 0;
  #lastId: number;

  /** `now`: epoch milliseconds. */
  constructor(now: number) {
    this.#lastId = now * IDS_PER_MS;
  }

  /** Gives the events their ids and keeps them; answers them in the server-sent form. */
  append(events: readonly LiveEvent[]): string {
    const added = events.map((event) => this.#number(event));
    this.#kept.push(...added);
    this.#trim();
    return added.map(({ text }) => text).join("");
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** What a viewer has missed since that event; a `reset` where that is not known any more. */
  after(id: number): string {
    const before = this.#lastId - this.#kept.length;
    if (id < before || id > this.#lastId) return `id: ${this.#lastId}\nevent: reset\ndata: {}\n\n`;
    return this.#kept
      .slice(id - before)
      .map(({ text }) => text)
      .join("");
  }

  /** How often a text occurs in what is kept, by `count`; with `write` nothing is kept any more where it does. */
  erase(count: (text: string) => number, write: boolean): number {
    const found = this.#kept.reduce((sum, { text }) => sum + count(text), 0);
    if (write && found > 0) this.#drop(this.#kept.length);
    return found;
  }

  #number(event: LiveEvent): KeptEvent {
    this.#lastId += 1;
    const id = this.#lastId;
    const text = `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(shown(event))}\n\n`;
    this.#units += text.length;
    return { id, text };
  }

  #trim(): void {
    let [count, units] = [0, this.#units];
    for (; units > KEPT_UNITS; count += 1) units -= this.#kept[count]?.text.length ?? 0;
    if (count > 0) this.#drop(count);
  }

  /** Of the oldest, so many. */
  #drop(count: number): void {
    const dropped = this.#kept.splice(0, count);
    this.#units -= dropped.reduce((sum, { text }) => sum + text.length, 0);
  }
}

/** Receipts as the API shows them. */
function shown(event: LiveEvent) {
  if (event.type !== "run" || event.receipt === null) return event;
  return { ...event, receipt: receiptView(event.receipt) };
}
