/** Who works in this instance, and by which rules; consistent at once, unlike KV. */
import type { InstanceConfig } from "../config/instance.ts";
import type { DirectoryEntry } from "../engine/world.ts";
import { type Database, first, ownJson, text } from "../journal/database.ts";

export interface Directory {
  readonly agents: readonly DirectoryEntry[];
  /** Null before the first config was loaded. */
  readonly instance: InstanceConfig | null;
}

export function readDirectory(db: Database): Directory {
  createTable(db);
  const row = first(db, "SELECT json FROM Directory");
  return row === null ? { agents: [], instance: null } : ownJson<Directory>(text(row, "json"));
}

export function writeDirectory(
  db: Database,
  change: { readonly agents?: readonly DirectoryEntry[]; readonly instance?: InstanceConfig },
): Directory {
  const directory = { ...readDirectory(db), ...change };
  db.transaction(() =>
    db.run("INSERT OR REPLACE INTO Directory (id, json) VALUES (1, ?)", JSON.stringify(directory)),
  );
  return directory;
}

/** Adds an agent or changes its entry; the list stays sorted by id. */
export function writeEntry(db: Database, entry: DirectoryEntry): Directory {
  const others = readDirectory(db).agents.filter((known) => known.agentId !== entry.agentId);
  const agents = [...others, entry].sort((a, b) => (a.agentId < b.agentId ? -1 : 1));
  return writeDirectory(db, { agents });
}

export function deleteEntry(db: Database, agentId: string): Directory {
  return writeDirectory(db, {
    agents: readDirectory(db).agents.filter((known) => known.agentId !== agentId),
  });
}

function createTable(db: Database): void {
  db.run("CREATE TABLE IF NOT EXISTS Directory (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)");
}
