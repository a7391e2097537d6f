/** Which parts of documents that arrive are put in force, and the versions of the agent's own. */
import { keepVersion } from "../config/versions.ts";
import type { Documents, World } from "../engine/world.ts";
import { storedDocuments } from "./agent.ts";
import { takeRevision } from "./revisions.ts";

export interface NewDocuments {
  /** Null takes the agent out of service. */
  readonly documents: Documents | null;
  /** The directory's, of the change that brings them. */
  readonly revision: number;
  /** Who made the change; null where that is not known. */
  readonly actor: string | null;
}

/**
 * What is in force after a change of the agent's document; undefined when a newer one is already. The list of
 * agents and the instance's document may have overtaken it: the newer ones stay.
 */
export function changedDocuments(world: World, change: NewDocuments): Documents | null | undefined {
  const { documents, revision, actor } = change;
  if (!takeRevision(world, "documents", revision)) return undefined;
  const current = storedDocuments(world);
  const directoryIsNewest = takeRevision(world, "directory", revision);
  const instanceIsNewest = takeRevision(world, "instance", revision);
  keepDocument(world, current, documents === null ? null : { document: documents.agent, actor });
  if (documents === null) return null;
  if (current === null) return documents;
  return {
    agent: documents.agent,
    directory: directoryIsNewest ? documents.directory : current.directory,
    instance: instanceIsNewest ? documents.instance : current.instance,
  };
}

/** What all agents know alike. */
export type SharedDocuments = Partial<Pick<Documents, "directory" | "instance">>;

/**
 * What is in force with the parts that are not older than what is; undefined where nothing changes. An object without
 * documents takes nothing up, revisions neither: what it cannot keep is told again.
 */
export function sharedChange(
  world: World,
  { directory, instance }: SharedDocuments,
  revision: number,
): Documents | undefined {
  const current = storedDocuments(world);
  if (current === null) return undefined;
  const newDirectory = directory !== undefined && takeRevision(world, "directory", revision);
  const newInstance = instance !== undefined && takeRevision(world, "instance", revision);
  if (!(newDirectory || newInstance)) return undefined;
  return { ...current, ...(newDirectory ? { directory } : {}), ...(newInstance ? { instance } : {}) };
}

function keepDocument(
  world: World,
  before: Documents | null,
  version: { readonly document: Documents["agent"]; readonly actor: string | null } | null,
): void {
  const now = world.now();
  world.db.transaction(() => {
    // One that was put in force before versions were kept can be gone back to as well.
    if (before !== null) keepVersion(world.db, { document: before.agent, actor: null, now });
    if (version !== null) keepVersion(world.db, { ...version, now });
  });
}
