import type { LiveEvent } from "../core/events.ts";
import type { DayPermit, DaySpent } from "../core/hub/day-ledger.ts";
import { HubUpkeep } from "./hub/hub-upkeep.ts";

/** One per instance: who works here, who may come in, what the day has cost, and the live feed. */
export class HubObject extends HubUpkeep {
  /** `ended`: runs of the same agent that have ended lately. */
  async permitDay(
    { runId, costMicros, ended }: { runId: string; costMicros: number; ended: readonly DaySpent[] },
    limits: { costUsd: number },
  ): Promise<DayPermit> {
    const { ledger } = this.parts;
    if (ended.length > 0) ledger.settle(ended);
    return ledger.permit(runId, costMicros, limits);
  }

  async settleDay(runs: readonly DaySpent[]): Promise<void> {
    this.parts.ledger.settle(runs);
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
