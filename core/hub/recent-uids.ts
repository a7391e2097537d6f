/**
 * What the feed has told lately. An agent's object that was restarted tells anew what it could not yet
 * deliver to D1; viewers shall not hear it twice. A hub that was restarted knows nothing, and its viewers begin anew.
 */
import type { LiveEvent } from "../events.ts";

const KEPT = 5_000;

export class RecentUids {
  /** In the order of their coming. */
  readonly #known = new Set<string>();

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
    case "job":
      return null;
  }
}
