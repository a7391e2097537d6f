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
  const row = first(db, "SELECT max(lastId) AS last FROM Feed");
  const last = row === null || row.last === null ? 0 : int(row, "last");
  const numbered = events.map((event, index) => ({ id: last + index + 1, event }));
  for (const batch of batches(numbered)) {
    const lastId = batch.at(-1)?.id ?? last;
    db.run("INSERT INTO Feed (lastId, events) VALUES (?, ?)", lastId, JSON.stringify(batch));
  }
  if (last % KEPT_BATCHES > (last + events.length) % KEPT_BATCHES) trim(db);
  return numbered;
}

function trim(db: Database): void {
  db.run(
    "DELETE FROM Feed WHERE lastId <= (SELECT lastId FROM Feed ORDER BY lastId DESC LIMIT 1 OFFSET ?)",
    KEPT_BATCHES,
  );
}

function batches(events: readonly FeedEvent[]): FeedEvent[][] {
  const result: FeedEvent[][] = [];
  let units = BATCH_UNITS;
  for (const event of events) {
    const size = JSON.stringify(event).length;
    if (units + size > BATCH_UNITS) {
      result.push([]);
      units = 0;
    }
    result.at(-1)?.push(event);
    units += size;
  }
  return result;
}

export interface Missed {
  readonly events: readonly FeedEvent[];
  /** Whether older events than these are gone: the viewer must load its page anew. */
  readonly gap: boolean;
}

/** Events after the given id. */
export function eventsAfter(db: Database, id: number): Missed {
  const events = db
    .all("SELECT events FROM Feed WHERE lastId > ? ORDER BY lastId", id)
    .flatMap((row) => ownJson<FeedEvent[]>(text(row, "events")))
    .filter((item) => item.id > id);
  const oldest = events.at(0)?.id;
  const row = first(db, "SELECT max(lastId) AS last FROM Feed");
  const last = row === null || row.last === null ? 0 : int(row, "last");
  return { events, gap: id > last || (oldest !== undefined && oldest > id + 1) };
}
