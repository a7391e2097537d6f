import type { LiveEvent } from "../core/events.ts";
import type { DayNews, DayPermit } from "../core/hub/day-ledger.ts";
import { HubUpkeep } from "./hub/hub-upkeep.ts";

/** One per instance: who works here, who may come in, what the day has cost, and the live feed. */
export class HubObject extends HubUpkeep {
  /** Takes what the runs of an agent have spent and tells whether they may spend more. */
  async tellDay(news: DayNews, limits: { costUsd: number }): Promise<DayPermit> {
    this.parts.ledger.tell(news);
    return this.parts.ledger.permit(limits);
  }

  /** Answers whether anybody watches. */
  async publish(events: readonly LiveEvent[]): Promise<boolean> {
    const { feed, told, streams } = this.parts;
    streams.send(feed.append(told.fresh(events)));
    return streams.isWatched;
  }

  /**
   * Server-sent events from here on, after those that the viewer has missed; `until` in epoch milliseconds. Null when
   * too many streams are open.
   */
  async live(lastEventId: number | null, until: number | null): Promise<ReadableStream<Uint8Array> | null> {
    const { feed, streams } = this.parts;
    // Who is new has a place to come back to before anything happens.
    const missed = lastEventId === null ? `id: ${feed.lastId}\n\n` : feed.after(lastEventId);
    return streams.open(`retry: 2000\n\n${missed}`, until);
  }
}
