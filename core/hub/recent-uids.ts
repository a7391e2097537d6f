/**
 * What the feed has told lately. An agent's object that was restarted tells anew what it could not yet
 * deliver to D1; viewers shall not hear it twice.
 */
import type { LiveEvent } from "../events.ts";
import { type Database, ownJson, text } from "../journal/database.ts";
import type { FeedEvent } from "./feed.ts";

const KEPT = 5_000;
const LOADED_BATCHES = 200;

export class RecentUids {
  /** In the order of their coming. */
  readonly #known = new Set<string>();

  constructor(db: Database) {
    const rows = db.all("SELECT events FROM Feed ORDER BY lastId DESC LIMIT ?", LOADED_BATCHES);
    for (const row of rows.toReversed())
      this.fresh(ownJson<FeedEvent[]>(text(row, "events")).map((item) => item.event));
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

function uidOf(event: LiveEvent): string | null {
  switch (event.type) {
    case "message":
      return `message ${event.message.uid}`;
    case "notice":
      return `notice ${event.notice.uid}`;
    case "run":
    case "task":
      return null;
  }
}
