/** Pages of messages, oldest first, with filters and search. */
import { LIST_TEXT_CHARS, SHORT_SEARCH_ROWS } from "../limits.ts";
import { type Cursor, encodeCursor } from "./cursor.ts";
import {
  type FilterProblem,
  type MessageFilter,
  type MessageQuery,
  parseMessageFilter,
} from "./message-filter.ts";
import { findPlace, type Place } from "./message-place.ts";
import { type Direction, type Edge, fetchMessages } from "./message-source.ts";
import { listedMessage, type MessageView, type SelectedMessage } from "./message-view.ts";
import type { Reader } from "./reader.ts";
import { foldText } from "./search-terms.ts";

export interface MessagePage {
  readonly messages: readonly MessageView[];
  /** For `before`: null when nothing older is there. A page may be empty and have older ones, see `partial`. */
  readonly older: string | null;
  /** For `after`: null on the newest page. */
  readonly newer: string | null;
  /** Not everything was searched: older pages may hold more hits. */
  readonly partial: boolean;
}

export type ListMessagesResult =
  | { readonly ok: true; readonly page: MessagePage }
  | { readonly ok: false; readonly problem: FilterProblem };

/** The newest page within the filter, or the one that a cursor or a moment asks for. Rejects when D1 does. */
export async function listMessages(reader: Reader, filter: MessageFilter): Promise<ListMessagesResult> {
  const parsed = parseMessageFilter(filter);
  if (!parsed.ok) return parsed;
  const { query } = parsed;
  const place = await findPlace(reader, query.position);
  if (!("at" in place)) return { ok: false, problem: place };
  const page = await readPage(reader, query, place);
  return { ok: true, page: { ...page, partial: page.partial || query.search?.cut === true } };
}

function readPage(reader: Reader, query: MessageQuery, place: Place): Promise<MessagePage> {
  const walk = (direction: Direction, edge: Edge | null, count: number) =>
    walkMessages({ reader, query, direction }, edge, count);
  const { limit } = query;
  switch (place.at) {
    case "newest":
      return walk("older", null, limit).then((older) => joinPage(older, NOTHING));
    case "before":
      return pageBefore(walk, place.cursor, limit);
    case "after":
      return pageAfter(walk, place.cursor, limit);
    case "around":
      return pageAround(walk, place, limit);
  }
}

type Walker = (direction: Direction, edge: Edge | null, count: number) => Promise<Walk>;

async function pageBefore(walk: Walker, cursor: Cursor, limit: number): Promise<MessagePage> {
  const found = await walk("older", { cursor }, limit);
  const newest = found.rows[0] ?? { ...cursor, id: cursor.id - 1 };
  return { ...joinPage(found, NOTHING), newer: encodeCursor(newest) };
}

async function pageAfter(walk: Walker, cursor: Cursor, limit: number): Promise<MessagePage> {
  const found = await walk("newer", { cursor }, limit);
  const oldest = found.rows[0] ?? { ...cursor, id: cursor.id + 1 };
  return { ...joinPage(NOTHING, found), older: encodeCursor(oldest) };
}

/** The place stands in the middle, so that it can be read in both directions. */
async function pageAround(
  walk: Walker,
  sides: { readonly older: Edge; readonly newer: Edge },
  limit: number,
): Promise<MessagePage> {
  const before = Math.floor(limit / 2);
  const older = before === 0 ? NOTHING : await walk("older", sides.older, before);
  return joinPage(older, await walk("newer", sides.newer, limit - before));
}

function joinPage(older: Walk, newer: Walk): MessagePage {
  return {
    messages: [...older.rows.toReversed(), ...newer.rows].map(listedMessage),
    older: older.more === null ? null : encodeCursor(older.more),
    newer: newer.more === null ? null : encodeCursor(newer.more),
    partial: older.partial || newer.partial,
  };
}

interface Walk {
  /** In the order of travel. */
  readonly rows: readonly SelectedMessage[];
  /** Where to go on; null at the end. */
  readonly more: Cursor | null;
  readonly partial: boolean;
}

interface Way {
  readonly reader: Reader;
  readonly query: MessageQuery;
  readonly direction: Direction;
}

const NOTHING: Walk = { rows: [], more: null, partial: false };

async function walkMessages(way: Way, edge: Edge | null, count: number): Promise<Walk> {
  if ((way.query.search?.checked.length ?? 0) > 0) return walkAndCheck(way, edge, count);
  const rows = await fetchMessages(way.reader, way.query, { ...way, edge, count: count + 1 });
  return { ...firstRows(rows, count), partial: false };
}

/** Rows are fetched in pieces, since each may carry as much text as a list shows. */
const CHECKED_PER_FETCH = 250;

/** For terms that no index answers: the nearest rows are fetched and compared here. */
async function walkAndCheck(way: Way, start: Edge | null, count: number): Promise<Walk> {
  const rows: SelectedMessage[] = [];
  const onlyChecked = way.query.search?.indexed.length === 0;
  let edge = start;
  let cutTexts = false;
  for (let looked = 0; looked < SHORT_SEARCH_ROWS; looked += CHECKED_PER_FETCH) {
    const piece = await fetchMessages(way.reader, way.query, { ...way, edge, count: CHECKED_PER_FETCH });
    const hits = piece.filter((row) => holdsChecked(way.query, row));
    rows.push(...hits);
    cutTexts ||= hits.length < piece.length && piece.some((row) => row.content.length > LIST_TEXT_CHARS);
    const last = piece.at(-1);
    if (rows.length > count || last === undefined || piece.length < CHECKED_PER_FETCH)
      return { ...firstRows(rows, count), partial: onlyChecked || cutTexts };
    edge = { cursor: last };
  }
  // Whoever goes on from here gets to the rows not looked at yet.
  const reached = edge !== null && "cursor" in edge ? edge.cursor : null;
  return { rows, more: reached, partial: true };
}

/** The page, and its last row to go on from when there are more. */
function firstRows(rows: readonly SelectedMessage[], count: number): Pick<Walk, "rows" | "more"> {
  const page = rows.slice(0, count);
  return { rows: page, more: rows.length > count ? (page.at(-1) ?? null) : null };
}

function holdsChecked({ search }: MessageQuery, row: SelectedMessage): boolean {
  const text = foldText(row.content);
  return search === null || search.checked.every((term) => text.includes(term));
}
