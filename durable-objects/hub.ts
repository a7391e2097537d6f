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
  readInstance,
  writeDirectory,
  writeEntry,
} from "../core/hub/directory.ts";
import { appendEvents, createFeedSchema, eventsAfter } from "../core/hub/feed.ts";
import { RecentUids } from "../core/hub/recent-uids.ts";
import {
  type AgentArmed,
  armDue,
  createDueSchema,
  type DueAgent,
  dropDue,
  isNewVersion,
  markDue,
  readDue,
} from "../core/jobs/due-table.ts";
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
    createDueSchema(this.#db);
    this.#told = new RecentUids(this.#db);
    this.#ledger = new DayLedger(this.#db, Date.now);
  }

  /** `ended`: runs of the same agent that have ended lately. */
  async permitDay(
    { runId, costMicros, ended }: { runId: string; costMicros: number; ended: readonly DaySpent[] },
    limits: { costUsd: number },
  ): Promise<DayPermit> {
    if (ended.length > 0) this.#ledger.settle(ended);
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
    return this.#armed(writeDirectory(this.#db, content, Date.now()), "all");
  }

  async putEntry(entry: DirectoryEntry): Promise<Directory> {
    return this.#armed(writeEntry(this.#db, entry, Date.now()), entry.agentId);
  }

  async deleteEntry(agentId: string): Promise<Directory> {
    return this.#armed(deleteEntry(this.#db, agentId, Date.now()), null);
  }

  /**
   * What the minute's trigger needs to know: the instance's document, and who has something due. A version of the
   * Worker that was never seen concerns everybody.
   */
  async minute(
    at: number,
    version: string | null,
  ): Promise<{ instance: InstanceConfig | null; due: DueAgent[] }> {
    if (version !== null && isNewVersion(this.#db, version)) {
      const { agents } = readDirectory(this.#db);
      markDue(this.#db, idsOf(agents), 0);
    }
    return { instance: readInstance(this.#db), due: readDue(this.#db, at) };
  }

  /** When they have something due next. */
  async armDue(answers: readonly AgentArmed[]): Promise<void> {
    for (const answer of answers) armDue(this.#db, answer);
  }

  /** Whose documents change is asked at the next minute; those that have gone never. */
  #armed(directory: Directory, changed: "all" | string | null): Directory {
    const all = idsOf(directory.agents);
    dropDue(this.#db, all);
    if (changed !== null) markDue(this.#db, changed === "all" ? all : [changed], directory.revision);
    return directory;
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

function idsOf(agents: readonly DirectoryEntry[]): string[] {
  return agents.map(({ agentId }) => agentId);
}
