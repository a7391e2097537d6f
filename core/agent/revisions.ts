/** Which changes an agent's object has taken up, so that pushes may overtake each other on their way to it. */
import type { World } from "../engine/world.ts";
import { getSetting, setSetting } from "../journal/settings.ts";

const REVISIONS = "revisions";

/** The newest revision that has been put in force: of the agent's own document, of the list of agents, of the instance's document. */
export interface Revisions {
  readonly documents: number;
  readonly directory: number;
  readonly instance: number;
}

const NO_REVISIONS: Revisions = { documents: 0, directory: 0, instance: 0 };

export function readRevisions(world: Pick<World, "db">): Revisions {
  return { ...NO_REVISIONS, ...getSetting<Partial<Revisions>>(world.db, REVISIONS) };
}

/** Whether a change is not older than what is in force, which it then is. */
export function takeRevision(world: World, part: keyof Revisions, revision: number): boolean {
  const known = readRevisions(world);
  if (revision < known[part]) return false;
  world.db.transaction(() => setSetting(world.db, REVISIONS, { ...known, [part]: revision }));
  return true;
}
