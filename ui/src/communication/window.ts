/**
 * The part of a conversation that is on the page: a bounded run of rows without gaps, and where it goes on.
 * Pure, so that it can be tested over any walk.
 */
import { compareRows, keyOf, type Row } from "./row.ts";

/** More rows than this are never kept. */
export const MAX_ROWS = 360;

export type Side = "older" | "newer";

export interface Window {
  readonly rows: readonly Row[];
  /** For the API's `before`; null when the oldest row is here. */
  readonly older: string | null;
  /** For the API's `after`; null when the newest row is here: what happens live belongs at the end. */
  readonly newer: string | null;
}

export interface Page {
  readonly messages: readonly Row[];
  readonly older: string | null;
  readonly newer: string | null;
}

/** A page put at one side of the window, and the other side trimmed to the bound. */
export function mergePage(window: Window, page: Page, side: Side): Window {
  const rows = joinRows(window.rows, page.messages);
  const grown =
    side === "older" ? { ...window, rows, older: page.older } : { ...window, rows, newer: page.newer };
  return trimWindow(grown, side);
}

/** At most `max` rows: those at `side` stay, and the window goes on where the rest was cut off. */
export function trimWindow(window: Window, side: Side, max = MAX_ROWS): Window {
  if (window.rows.length <= max) return window;
  if (side === "older") {
    const rows = window.rows.slice(0, max);
    return { ...window, rows, newer: edgeOf(rows.at(-1)) };
  }
  const rows = window.rows.slice(-max);
  return { ...window, rows, older: edgeOf(rows[0]) };
}

/**
 * A live row in its place. Where the window does not reach to the newest row, or the row is older than what
 * is loaded, nothing changes: it comes with its page.
 * @param following whether the end is being watched: then old rows give way, else the row has to wait when
 *   there is no room, since trimming could take what is being read
 */
export function addRow(window: Window, row: Row, following: boolean): Window {
  const oldest = window.rows[0];
  if (window.newer !== null) return window;
  if (window.older !== null && oldest !== undefined && compareRows(row, oldest) < 0) return window;
  const grown = { ...window, rows: joinRows(window.rows, [row]) };
  if (following || grown.rows.length <= MAX_ROWS) return trimWindow(grown, "newer");
  return { ...window, newer: edgeOf(window.rows.at(-1)) };
}

/** What a page at this side would be asked for from: the same twice means that nothing came of it. */
export function edgeToken(window: Window, side: Side): string {
  return [side, window.rows[0]?.uid, window.rows.at(-1)?.uid, window[side]].join(" ");
}

/** Each row once, in order. What the API said replaces what came live, since it has the id. */
function joinRows(kept: readonly Row[], added: readonly Row[]): Row[] {
  const byUid = new Map(kept.map((row) => [row.uid, row]));
  for (const row of added) {
    const known = byUid.get(row.uid);
    byUid.set(row.uid, row.id === null && known !== undefined ? known : row);
  }
  return [...byUid.values()].sort(compareRows);
}

function edgeOf(row: Row | undefined): string | null {
  return row === undefined ? null : keyOf(row);
}
