/** What the transcript shows and how it changes: pages, jumps, live rows. Knows nothing of the page's elements. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Answer, Problem } from "../api/client.ts";
import type { MessagePage, Position } from "./read-messages.ts";
import { isCalled, keyOf, type Row } from "./row.ts";
import { addRow, edgeToken, mergePage, type Side, type Window } from "./window.ts";

const FIRST_PAGE = 200;
const NEXT_PAGE = 60;
/** After a break the newest rows are read once more: some may have been delivered late among them. */
const CATCH_UP_ROWS = 100;
const CATCH_UP_PAGE = 300;

/** Where the reader is to be put; `serial` tells one wish from the next. */
export interface Target {
  readonly serial: number;
  /** Null: the end. */
  readonly uid: string | null;
}

export interface TranscriptState {
  /** Null until there is an answer. */
  readonly window: Window | null;
  readonly loading: "all" | Side | null;
  readonly problem: { readonly at: "all" | Side; readonly problem: Problem } | null;
  readonly partial: boolean;
  /** Came since the end was last seen. */
  readonly fresh: number;
  readonly target: Target;
}

export interface Transcript {
  readonly state: ReadonlySignal<TranscriptState>;
  /** Shows the row that is called so, or an ISO time's surroundings; null: the end. */
  show(place: string | null): void;
  /** @param how `auto` asks for the same edge only once */
  load(side: Side, how: "auto" | "wanted"): void;
  receive(row: Row, fits: boolean | null): void;
  /** Reads what was missed. */
  catchUp(): void;
  /** Whether the end is in sight; then new rows are no news. */
  watchEnd(watched: boolean): void;
  stop(): void;
}

export interface TranscriptWorld {
  read(position: Position, signal: AbortSignal): Promise<Answer<MessagePage>>;
  /** New rows that are in the window or wait behind its end. */
  onNews(rows: readonly Row[]): void;
  onLoaded(side: Side, count: number): void;
}

const START: TranscriptState = {
  window: null,
  loading: null,
  problem: null,
  partial: false,
  fresh: 0,
  target: { serial: 0, uid: null },
};

export function createTranscript(world: TranscriptWorld): Transcript {
  return new TranscriptStore(world);
}

class TranscriptStore implements Transcript {
  readonly state = signal(START);
  readonly #world: TranscriptWorld;
  #reading = new AbortController();
  /** The edge that was last asked for. */
  #asked = "";
  #watched = true;
  /** Whether rows may have come that no reading has brought. */
  #missed = false;
  #place: string | null = null;

  constructor(world: TranscriptWorld) {
    this.#world = world;
  }

  show(wanted: string | null): void {
    this.#place = wanted;
    const { window } = this.state.peek();
    const row = wanted === null ? undefined : window?.rows.find((each) => isCalled(each, wanted));
    const atEnd = wanted === null && window !== null && window.newer === null && !this.#missed;
    if (row === undefined && !atEnd) void this.#replace();
    else
      this.#set({ target: nextTarget(this.state.peek(), row?.uid ?? null), ...(atEnd ? { fresh: 0 } : {}) });
  }

  load(side: Side, how: "auto" | "wanted"): void {
    void this.#load(side, how);
  }

  receive(row: Row, fits: boolean | null): void {
    const { window, loading } = this.state.peek();
    if (fits === false) return;
    // The page under way may have been read just before this row was written.
    if (loading !== null && loading !== "older") this.#missed = true;
    if (fits === null) this.catchUp();
    else if (window !== null && !window.rows.some(({ uid }) => uid === row.uid)) {
      this.#set({ window: addRow(window, row, this.#watched) });
      this.#news([row]);
    }
  }

  catchUp(): void {
    void this.#catchUp();
  }

  watchEnd(watched: boolean): void {
    this.#watched = watched;
    if (watched && this.state.peek().fresh > 0) this.#set({ fresh: 0 });
  }

  stop(): void {
    this.#reading.abort();
  }

  #set(changes: Partial<TranscriptState>): void {
    this.state.value = { ...this.state.peek(), ...changes };
  }

  /** One reading at a time; another kind of wish ends it. Null when it was given up. */
  async #read(loading: "all" | Side, position: Position): Promise<MessagePage | null> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal: wanted } = this.#reading;
    this.#set({ loading, problem: null });
    const answer = await this.#world.read(position, wanted);
    if (wanted.aborted) return null;
    this.#set({ loading: null });
    if (answer.ok) return answer.data;
    this.#set({ problem: { at: loading, problem: answer.problem } });
    return null;
  }

  async #replace(): Promise<void> {
    this.#asked = "";
    const place = this.#place;
    const around = place === null ? {} : { around: place };
    const page = await this.#read("all", { limit: FIRST_PAGE, ...around });
    if (page === null) return;
    const { messages: rows, older, newer, partial } = page;
    const uid = place === null ? null : rowAt(rows, place);
    const target = nextTarget(this.state.peek(), uid);
    this.#set({ window: { rows, older, newer }, partial, fresh: 0, target });
    if (this.#missed) this.catchUp();
  }

  async #load(side: Side, how: "auto" | "wanted"): Promise<void> {
    const { window, loading } = this.state.peek();
    const from = window?.[side] ?? null;
    if (window === null || from === null || loading !== null) return;
    const token = edgeToken(window, side);
    if (how === "auto" && token === this.#asked) return;
    this.#asked = token;
    const cursor = { [side === "older" ? "before" : "after"]: from };
    const page = await this.#read(side, { limit: NEXT_PAGE, ...cursor });
    const now = this.state.peek();
    if (page === null || now.window === null) return;
    const merged = mergePage(now.window, page, side);
    this.#set({ window: merged, fresh: merged.newer === null && side === "newer" ? 0 : now.fresh });
    this.#world.onLoaded(side, page.messages.length);
    if (this.#missed) this.catchUp();
  }

  #news(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    if (!this.#watched) this.#set({ fresh: this.state.peek().fresh + rows.length });
    this.#world.onNews(rows);
  }

  async #catchUp(): Promise<void> {
    const { window, loading, problem } = this.state.peek();
    const failed = problem?.at ?? "all";
    this.#missed = loading !== null || failed !== "all";
    if (loading !== null) return;
    if (window === null || window.rows.length === 0) return this.#replace();
    if (failed !== "all") return this.#load(failed, "wanted");
    if (window.newer !== null) return;
    const from = window.rows.at(-CATCH_UP_ROWS) ?? window.rows[0];
    if (from === undefined) return;
    const page = await this.#read("newer", { after: keyOf(from), limit: CATCH_UP_PAGE });
    const now = this.state.peek().window;
    if (page === null || now === null) return;
    const known = new Set(now.rows.map(({ uid }) => uid));
    const added = page.messages.filter(({ uid }) => !known.has(uid));
    this.#set({ window: caughtUp(now, page, this.#watched) });
    this.#news(added);
    if (this.#missed) this.catchUp();
  }
}

function nextTarget({ target }: TranscriptState, uid: string | null): Target {
  return { serial: target.serial + 1, uid };
}

const DATE = /^\d{4}-\d\d-\d\d/;

/** The row that a place means: the one called so, or of a time the first from then on, else the nearest. */
function rowAt(rows: readonly Row[], place: string): string | null {
  const called = rows.find((each) => isCalled(each, place));
  const then = DATE.test(place)
    ? (rows.find(({ occurredAt }) => occurredAt >= place) ?? rows.at(-1))
    : undefined;
  const row = called ?? then ?? rows[Math.floor(rows.length / 2)];
  return row?.uid ?? null;
}

/** As with live rows: nothing that may be being read gives way to what is new. */
function caughtUp(window: Window, page: MessagePage, watched: boolean): Window {
  const merged = mergePage(window, page, "newer");
  const dropped = merged.rows[0]?.uid !== window.rows[0]?.uid;
  return dropped && !watched ? { ...window, newer: keyOfLast(window) } : merged;
}

function keyOfLast({ rows }: Window): string | null {
  const last = rows.at(-1);
  return last === undefined ? null : keyOf(last);
}
