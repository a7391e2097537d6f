/** A change of who works here and by which rules: what is in force, what is owed to whom and the act, all or nothing. */
import type { ActRow } from "../../core/admin/act.ts";
import type { InstanceConfig } from "../../core/config/instance.ts";
import { keepVersion } from "../../core/config/versions.ts";
import type { DirectoryEntry } from "../../core/engine/world.ts";
import {
  type Directory,
  deleteEntry,
  readAgentIds,
  readDirectory,
  readInstance,
  writeDirectory,
  writeEntry,
  writeInstance,
} from "../../core/hub/directory.ts";
import { oweDocument, oweShared } from "../../core/hub/hand-over.ts";
import { documentRevision, dropDue, markDue } from "../../core/jobs/due-table.ts";
import type { HubParts } from "./hub-base.ts";

/** An agent as the others know it, with its own document as JSON. */
export interface EntryWithDocument {
  readonly entry: DirectoryEntry;
  readonly json: string;
}

export interface ChangedBy {
  /** For the log of administration. */
  readonly act: ActRow | null;
  /** The revision that the change was made on: a newer one refuses it. Null replaces whatever is there. */
  readonly base: number | null;
}

export const BY_NOBODY: ChangedBy = { act: null, base: null };

interface Change {
  readonly by: ChangedBy;
  /** The newest revision of what is to be changed. */
  readonly newest: () => number;
  readonly write: (now: number) => Directory;
}

/** Answers the change's revision; null when it was made on what is not there any more. */
function change({ db, acts }: HubParts, { by, newest, write }: Change): number | null {
  return db.transaction(() => {
    if (by.base !== null && newest() > by.base) return null;
    return acts.with(by.act, () => {
      const { agents, revision } = write(Date.now());
      dropDue(
        db,
        agents.map(({ agentId }) => agentId),
      );
      return revision;
    });
  });
}

export function replaceDirectory(
  parts: HubParts,
  content: { readonly agents: readonly EntryWithDocument[]; readonly instance: InstanceConfig },
  by: ChangedBy,
): number | null {
  const { db } = parts;
  const agents = content.agents.map(({ entry }) => entry);
  const ids = agents.map(({ agentId }) => agentId);
  const write = (now: number) => {
    const removed = [...readAgentIds(db)].filter((agentId) => !ids.includes(agentId));
    keepInstance(parts, content.instance, { actor: by.act?.actor ?? null, now });
    const directory = writeDirectory(db, { agents, instance: content.instance }, now);
    const { revision } = directory;
    for (const agentId of removed) oweDocument(db, agentId, { revision, json: null, actor: null });
    for (const { entry, json } of content.agents) oweAgent(parts, entry.agentId, { revision, json, by });
    markDue(db, ids, { documents: revision, instance: revision });
    return directory;
  };
  return withStreams(parts, () => change(parts, { by, newest: () => readDirectory(db).revision, write }));
}

export function replaceInstance(parts: HubParts, instance: InstanceConfig, by: ChangedBy): number | null {
  const { db } = parts;
  const write = (now: number) => {
    keepInstance(parts, instance, { actor: by.act?.actor ?? null, now });
    const directory = writeInstance(db, instance, now);
    const ids = directory.agents.map(({ agentId }) => agentId);
    oweShared(db, ids, directory.revision);
    markDue(db, ids, { documents: 0, instance: directory.revision });
    return directory;
  };
  return withStreams(parts, () => change(parts, { by, newest: () => readDirectory(db).revision, write }));
}

export function replaceEntry(
  parts: HubParts,
  { entry, json }: EntryWithDocument,
  by: ChangedBy,
): number | null {
  const { db } = parts;
  const { agentId } = entry;
  const write = (now: number) => {
    const before = readDirectory(db).agents.find((known) => known.agentId === agentId);
    const directory = writeEntry(db, entry, now);
    const { revision } = directory;
    if (JSON.stringify(before) !== JSON.stringify(entry)) oweOthers(parts, directory, agentId);
    oweAgent(parts, agentId, { revision, json, by });
    markDue(db, [agentId], { documents: revision, instance: revision });
    return directory;
  };
  return change(parts, { by, newest: () => documentRevision(db, agentId), write });
}

export function removeEntry(parts: HubParts, agentId: string, by: ChangedBy): number | null {
  const { db } = parts;
  const write = (now: number) => {
    const directory = deleteEntry(db, agentId, now);
    oweOthers(parts, directory, agentId);
    oweDocument(db, agentId, { revision: directory.revision, json: null, actor: null });
    return directory;
  };
  return change(parts, { by, newest: () => documentRevision(db, agentId), write });
}

function oweAgent(
  { db }: HubParts,
  agentId: string,
  { revision, json, by }: { readonly revision: number; readonly json: string; readonly by: ChangedBy },
): void {
  oweDocument(db, agentId, { revision, json, actor: by.act?.actor ?? null });
}

function oweOthers({ db }: HubParts, { agents, revision }: Directory, agentId: string): void {
  const others = agents.map((entry) => entry.agentId).filter((id) => id !== agentId);
  oweShared(db, others, revision);
}

function keepInstance(
  { db }: HubParts,
  document: InstanceConfig,
  { actor, now }: { readonly actor: string | null; readonly now: number },
): void {
  const before = readInstance(db);
  if (before !== null) keepVersion(db, { document: before, actor: null, now });
  keepVersion(db, { document, actor, now });
}

/** Whoever has lost a role hears no more; all others begin anew by themselves. */
function withStreams<T>({ db, streams }: HubParts, work: () => T): T {
  const access = () => JSON.stringify(readInstance(db)?.access ?? null);
  const before = access();
  const result = work();
  if (access() !== before) streams.endAll();
  return result;
}
