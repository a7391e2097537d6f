import type { LiveEvent } from "../core/events.ts";
import type { DayPermit, DaySpent } from "../core/hub/day-ledger.ts";
import { appendEvents, eventsAfter } from "../core/hub/feed.ts";
import { HubUpkeep } from "./hub/hub-upkeep.ts";
import { formatEvent, formatReset } from "./live-streams.ts";

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

  async publish(events: readonly LiveEvent[]): Promise<void> {
    const { db, told, streams } = this.parts;
    const numbered = db.transaction(() => appendEvents(db, told.fresh(events)));
    streams.send(numbered.map(formatEvent).join(""));
  }

  /**
   * Server-sent events from here on, after those that the viewer has missed; `until` in epoch milliseconds. Null when
   * too many streams are open.
   */
  async live(lastEventId: number | null, until: number | null): Promise<ReadableStream<Uint8Array> | null> {
    const missed = lastEventId === null ? null : eventsAfter(this.parts.db, lastEventId);
    const reset = missed?.gap === true ? formatReset(missed.after) : "";
    const greeting = `retry: 2000\n\n${reset}${(missed?.events ?? []).map(formatEvent).join("")}`;
    return this.parts.streams.open(greeting, until);
  }
}
