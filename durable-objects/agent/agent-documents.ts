import { isPaused } from "../../core/agent/agent.ts";
import { changedDocuments, type SharedDocuments, sharedChange } from "../../core/agent/documents.ts";
import { type Revisions, readRevisions } from "../../core/agent/revisions.ts";
import { type ConfigVersion, listVersions, readVersion } from "../../core/config/versions.ts";
import { type Documents, resultChars } from "../../core/engine/world.ts";
import { noteWorkers } from "../../core/erase/worker-list.ts";
import { AgentCore } from "./agent-core.ts";
import { pause, putInForce } from "./documents.ts";

/** By which documents it works. */
export abstract class AgentDocuments extends AgentCore {
  /**
   * Puts documents in force from the next step on; null takes the agent out of service. What is older than
   * that `revision` of the directory changes nothing any more. `actor`: who made the change, where that is known.
   * Answers by what it works now.
   */
  async configure(
    documents: Documents | null,
    revision: number,
    actor: string | null = null,
  ): Promise<Revisions> {
    const changed = changedDocuments(this.parts.world, { documents, revision, actor });
    if (changed !== undefined) putInForce(this.parts, changed);
    return readRevisions(this.parts.world);
  }

  /** Documents from KV, which may be old ones: they count only where the object has none. */
  async restore(documents: Documents, revision: number): Promise<void> {
    if (this.parts.documents.current === null) await this.configure(documents, revision);
  }

  /** Tells who works here now, or by which rules; nothing else of the documents changes. Answers by what it works now. */
  async share(shared: SharedDocuments, revision: number): Promise<Revisions> {
    const changed = sharedChange(this.parts.world, shared, revision);
    if (changed !== undefined) putInForce(this.parts, changed);
    return readRevisions(this.parts.world);
  }

  async setPaused(paused: boolean): Promise<void> {
    pause(this.parts, paused);
  }

  /** As JSON, because the platform's types for calls between objects know no open records. */
  async documents(): Promise<string | null> {
    const { current } = this.parts.documents;
    return current === null ? null : JSON.stringify(current);
  }

  /** The same, with the revision by which a change of them can be told to be made on these. */
  async edition(): Promise<{ documents: string | null; revision: number }> {
    return { documents: await this.documents(), revision: readRevisions(this.parts.world).documents };
  }

  /** Of the agent's document, newest first. */
  async versions(): Promise<ConfigVersion[]> {
    return listVersions(this.parts.world.db);
  }

  /** As JSON, like `documents`: null for a version that is not kept. */
  async version(version: number): Promise<string> {
    return JSON.stringify(readVersion(this.parts.world.db, version));
  }

  /** What a fresh worker of that name goes by. */
  async asBase(worker: string): Promise<{ documents: string | null; paused: boolean }> {
    noteWorkers(this.parts.world.db, [worker]);
    return { documents: await this.documents(), paused: isPaused(this.parts.world) };
  }

  /** Characters of a text that its model gets to see at once. */
  async shownChars(): Promise<number> {
    return resultChars(this.parts.world);
  }
}
