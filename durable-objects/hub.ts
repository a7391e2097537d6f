import { DurableObject } from "cloudflare:workers";
import type { InstanceConfig } from "../core/config/instance.ts";
import type { DirectoryEntry } from "../core/engine/world.ts";
import type { LiveEvent } from "../core/events.ts";
import { DayLedger, type DayPermit, type DaySpent } from "../core/hub/day-ledger.ts";
import {
  createDirectorySchema,
  type Directory,
  deleteEntry,
  readDirectory,
  writeDirectory,
  writeEntry,
} from "../core/hub/directory.ts";
import { appendEvents, createFeedSchema, eventsAfter } from "../core/hub/feed.ts";
import { RecentUids } from "../core/hub/recent-uids.ts";
import type { Database } from "../core/journal/database.ts";
import type { Env } from "./env.ts";
import { formatEvent, formatReset, LiveStreams } from "./live-streams.ts";
import { objectDatabase } from "./sqlite.ts";

/** One per instance: who works here, what the day has cost, and the live feed. */
export class HubObject extends DurableObject<Env> {
  readonly #db: Database;
  readonly #ledger: DayLedger;
  readonly #told: RecentUids;
  readonly #streams = new LiveStreams();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#db = objectDatabase(ctx.storage);
    createFeedSchema(this.#db);
    createDirectorySchema(this.#db);
    this.#told = new RecentUids(this.#db);
    this.#ledger = new DayLedger(this.#db, Date.now);
  }

  async permitDay(runId: string, costMicros: number, limits: { costUsd: number }): Promise<DayPermit> {
    return this.#ledger.permit(runId, costMicros, limits);
  }

  async settleDay(runs: readonly DaySpent[]): Promise<void> {
    this.#ledger.settle(runs);
  }

  async directory(): Promise<Directory> {
    return readDirectory(this.#db);
  }

  /** Replaces the list of agents and the instance's document. */
  async setDirectory(content: {
    agents: readonly DirectoryEntry[];
    instance: InstanceConfig;
  }): Promise<Directory> {
    return writeDirectory(this.#db, content, Date.now());
  }

  async putEntry(entry: DirectoryEntry): Promise<Directory> {
    return writeEntry(this.#db, entry, Date.now());
  }

  async deleteEntry(agentId: string): Promise<Directory> {
    return deleteEntry(this.#db, agentId, Date.now());
  }

  async publish(events: readonly LiveEvent[]): Promise<void> {
    const numbered = this.#db.transaction(() => appendEvents(this.#db, this.#told.fresh(events)));
    this.#streams.send(numbered.map(formatEvent).join(""));
  }

  /** Server-sent events from here on, after those that the viewer has missed. */
  async live(lastEventId: number | null): Promise<ReadableStream<Uint8Array>> {
    const missed = lastEventId === null ? null : eventsAfter(this.#db, lastEventId);
    const reset = missed?.gap === true ? formatReset(missed.after) : "";
    return this.#streams.open(`retry: 2000\n\n${reset}${(missed?.events ?? []).map(formatEvent).join("")}`);
  }
}
