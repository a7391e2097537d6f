import type { InstanceConfig } from "../../core/config/instance.ts";
import { type ConfigVersion, listVersions, readVersion } from "../../core/config/versions.ts";
import {
  type Directory,
  everyAgentId,
  hasEntry,
  readAgentIds,
  readDirectory,
} from "../../core/hub/directory.ts";
import { type HandedOver, type Owed, owedAgentIds, readOwed, settleOwed } from "../../core/hub/hand-over.ts";
import { documentRevision } from "../../core/jobs/due-table.ts";
import {
  BY_NOBODY,
  type ChangedBy,
  type EntryWithDocument,
  removeEntry,
  replaceDirectory,
  replaceEntry,
  replaceInstance,
} from "./change-directory.ts";
import { HubBase } from "./hub-base.ts";

/** Who works here, and by which rules. */
export abstract class HubDirectory extends HubBase {
  async directory(): Promise<Directory> {
    return readDirectory(this.parts.db);
  }

  async has(agentId: string): Promise<boolean> {
    return hasEntry(this.parts.db, agentId);
  }

  async agentIds(): Promise<ReadonlySet<string>> {
    return readAgentIds(this.parts.db);
  }

  /** Everybody who works here or once did. */
  async everyAgentId(): Promise<string[]> {
    return everyAgentId(this.parts.db);
  }

  /**
   * Replaces the list of agents and the instance's document. Answers the change's revision; null where `by` was made
   * on what is not there any more. What the agents' objects have to be told of it is owed to them, here and below.
   */
  async setDirectory(
    content: { agents: readonly EntryWithDocument[]; instance: InstanceConfig },
    by: ChangedBy = BY_NOBODY,
  ): Promise<number | null> {
    return replaceDirectory(this.parts, content, by);
  }

  /** Replaces the instance's document alone. */
  async setInstance(instance: InstanceConfig, by: ChangedBy = BY_NOBODY): Promise<number | null> {
    return replaceInstance(this.parts, instance, by);
  }

  /** `base` is a revision of the agent's own document. */
  async putEntry(agent: EntryWithDocument, by: ChangedBy = BY_NOBODY): Promise<number | null> {
    return replaceEntry(this.parts, agent, by);
  }

  async deleteEntry(agentId: string, by: ChangedBy = BY_NOBODY): Promise<number | null> {
    return removeEntry(this.parts, agentId, by);
  }

  /** Of the newest document of an agent; null when it does not work here. */
  async documentRevision(agentId: string): Promise<number | null> {
    const { db } = this.parts;
    return hasEntry(db, agentId) ? documentRevision(db, agentId) : null;
  }

  /** What agents' objects have to be told, by agent, after that one; and what all of them are told alike. */
  async owed(after: string): Promise<{ directory: Directory; owed: Owed[] }> {
    const { db } = this.parts;
    return { directory: readDirectory(db), owed: readOwed(db, after) };
  }

  /** Answers to how many of them nothing is owed any more. */
  async handedOver(told: readonly HandedOver[]): Promise<number> {
    const { db } = this.parts;
    return db.transaction(() => told.filter((each) => settleOwed(db, each)).length);
  }

  /** The agents that do not work by what is decided yet, sorted. */
  async unreached(): Promise<string[]> {
    return owedAgentIds(this.parts.db);
  }

  /** Of the instance's document, newest first. */
  async versions(): Promise<ConfigVersion[]> {
    return listVersions(this.parts.db);
  }

  /** As JSON: null for a version that is not kept. */
  async version(version: number): Promise<string> {
    return JSON.stringify(readVersion(this.parts.db, version));
  }
}
