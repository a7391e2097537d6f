/**
 * What the feed has told lately. An agent's object that was restarted tells anew what it could not yet
 * deliver to D1; viewers shall not hear it twice.
 */
import type { LiveEvent } from "../events.ts";
import { type Database, first, int, ownJson, text } from "../journal/database.ts";
import type { FeedEvent } from "./feed.ts";

const KEPT = 5_000;
const LOADED_BATCHES = 200;
/** Characters that are read when the hub comes up; batches with long texts are fewer then. */
const LOADED_UNITS = 4_000_000;

export class RecentUids {
  /** In the order of their coming. */
  readonly #known = new Set<string>();

  constructor(db: Database) {
    for (const uid of [...newestUids(db)].reverse()) this.#add(uid);
  }

  /** The events that were not told before; they count as told from now on. */
  fresh(events: readonly LiveEvent[]): LiveEvent[] {
    return events.filter((event) => {
      const uid = uidOf(event);
      return uid === null || this.#add(uid);
    });
  }

  #add(uid: string): boolean {
    if (this.#known.has(uid)) return false;
    this.#known.add(uid);
    if (this.#known.size > KEPT) for (const oldest of this.#known.values()) return this.#known.delete(oldest);
    return true;
  }
}

/** Newest first. Batch by batch: together, long texts would not fit into memory. */
function* newestUids(db: Database): Generator<string> {
  const batches = db.all("SELECT lastId FROM Feed ORDER BY lastId DESC LIMIT ?", LOADED_BATCHES);
  let units = 0;
  for (const batch of batches) {
    const row = first(db, "SELECT events FROM Feed WHERE lastId = ?", int(batch, "lastId"));
    const json = row === null ? "[]" : text(row, "events");
    units += json.length;
    if (units > LOADED_UNITS) return;
    for (const { event } of ownJson<FeedEvent[]>(json).reverse()) {
      const uid = uidOf(event);
      if (uid !== null) yield uid;
    }
  }
}

function uidOf(event: LiveEvent): string | null {
  switch (event.type) {
    case "message":
      return `message ${event.message.uid}`;
    case "notice":
      return `notice ${event.notice.uid}`;
    case "run":
    case "task":
    case "job":
      return null;
  }
}
