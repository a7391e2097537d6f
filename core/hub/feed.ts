/**
 * The live feed: events in order with ids, a bounded stretch of them kept so that a viewer that was away
 * for a moment can resume.
 */
import type { LiveEvent } from "../events.ts";
import { type Database, first, int, ownJson, text } from "../journal/database.ts";

export interface FeedEvent {
  readonly id: number;
  readonly event: LiveEvent;
}

const KEPT_BATCHES = 1_000;
/** Characters of a batch: a row must stay under the platform's limit whatever the events hold. */
const BATCH_UNITS = 400_000;

export function createFeedSchema(db: Database): void {
  db.run("CREATE TABLE IF NOT EXISTS Feed (lastId INTEGER PRIMARY KEY, events TEXT NOT NULL)");
}

/** Keeps the events and gives them their ids. */
export function appendEvents(db: Database, events: readonly LiveEvent[]): FeedEvent[] {
  const last = lastIdOf(db);
  const numbered = events.map((event, index) => ({ id: last + index + 1, event }));
  for (const { lastId, events: json } of batches(numbered))
    db.run("INSERT INTO Feed (lastId, events) VALUES (?, ?)", lastId, `[${json.join(",")}]`);
  if (last % KEPT_BATCHES > (last + events.length) % KEPT_BATCHES) trim(db);
  return numbered;
}

function trim(db: Database): void {
  db.run(
    "DELETE FROM Feed WHERE lastId <= (SELECT lastId FROM Feed ORDER BY lastId DESC LIMIT 1 OFFSET ?)",
    KEPT_BATCHES,
  );
}

interface Batch {
  lastId: number;
  units: number;
  /** Each event as JSON. */
  readonly events: string[];
}

function batches(events: readonly FeedEvent[]): Batch[] {
  const result: Batch[] = [];
  for (const event of events) {
    const json = JSON.stringify(event);
    const open = result.at(-1);
    const fits = open !== undefined && open.units + json.length <= BATCH_UNITS;
    const batch = fits ? open : { lastId: event.id, units: 0, events: [] };
    if (!fits) result.push(batch);
    batch.events.push(json);
    batch.units += json.length;
    batch.lastId = event.id;
  }
  return result;
}

export interface Missed {
  readonly events: readonly FeedEvent[];
  /** Whether events before these are gone or too many: the viewer must load its page anew. */
  readonly gap: boolean;
  /** The id after which `events` begin. */
  readonly after: number;
}

/** Characters of events that a viewer gets at once; one that was away for longer loads its page anew. */
const MAX_MISSED_UNITS = 1_000_000;

/** Events after the given id. */
export function eventsAfter(db: Database, id: number): Missed {
  const last = lastIdOf(db);
  const stored = id > last ? null : missedBatches(db, id);
  if (stored === null) return { events: [], gap: true, after: last };
  const events = stored.flatMap((json) => ownJson<FeedEvent[]>(json)).filter((item) => item.id > id);
  const after = (events.at(0)?.id ?? id + 1) - 1;
  return { events, gap: after > id, after };
}

/** Oldest first; null when they are too many. From the newest on, batch by batch, so that no more is read than could be given. */
function missedBatches(db: Database, id: number): string[] | null {
  const batches: string[] = [];
  let units = 0;
  for (const row of db.all("SELECT lastId FROM Feed WHERE lastId > ? ORDER BY lastId DESC", id)) {
    const stored = first(db, "SELECT events FROM Feed WHERE lastId = ?", int(row, "lastId"));
    const json = stored === null ? "[]" : text(stored, "events");
    units += json.length;
    if (units > MAX_MISSED_UNITS) return null;
    batches.push(json);
  }
  return batches.reverse();
}

function lastIdOf(db: Database): number {
  const row = first(db, "SELECT max(lastId) AS last FROM Feed");
  return row === null || row.last === null ? 0 : int(row, "last");
}
