/** Who works in this instance, and by which rules; consistent at once, unlike KV. A row for each agent, so that none grows. */
import type { InstanceConfig } from "../config/instance.ts";
import type { DirectoryEntry } from "../engine/world.ts";
import { type Database, first, int, ownJson, text } from "../journal/database.ts";

export interface Directory {
  /** Sorted by id. */
  readonly agents: readonly DirectoryEntry[];
  /** Null before the first config was loaded. */
  readonly instance: InstanceConfig | null;
  /** Grows with each change: of two pushes at the same moment, the one with the higher revision stands. */
  readonly revision: number;
}

export function createDirectorySchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS Entries (agentId TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS Retired (agentId TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS Instance (
      id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL DEFAULT 'null', revision INTEGER NOT NULL
    );
  `);
}

export function readDirectory(db: Database): Directory {
  const row = first(db, "SELECT json, revision FROM Instance");
  return {
    agents: db
      .all("SELECT json FROM Entries ORDER BY agentId")
      .map((entry) => ownJson<DirectoryEntry>(text(entry, "json"))),
    instance: row === null ? null : ownJson<InstanceConfig | null>(text(row, "json")),
    revision: row === null ? 0 : int(row, "revision"),
  };
}

/** The instance's document alone; null before the first config was loaded. */
export function readInstance(db: Database): InstanceConfig | null {
  const row = first(db, "SELECT json FROM Instance");
  return row === null ? null : ownJson<InstanceConfig | null>(text(row, "json"));
}

/** Whether there is such an agent, without reading the others. */
export function hasEntry(db: Database, agentId: string): boolean {
  return first(db, "SELECT 1 FROM Entries WHERE agentId = ?", agentId) !== null;
}

export function readAgentIds(db: Database): ReadonlySet<string> {
  return new Set(db.all("SELECT agentId FROM Entries").map((row) => text(row, "agentId")));
}

/** Replaces everything. */
export function writeDirectory(
  db: Database,
  content: { readonly agents: readonly DirectoryEntry[]; readonly instance: InstanceConfig },
  now: number,
): Directory {
  return changed(db, now, () => {
    db.run("INSERT OR IGNORE INTO Retired SELECT agentId FROM Entries");
    db.run("DELETE FROM Entries");
    for (const entry of content.agents) putEntry(db, entry);
    db.run("UPDATE Instance SET json = ?", JSON.stringify(content.instance));
  });
}

/** Adds an agent or changes its entry. */
export function writeEntry(db: Database, entry: DirectoryEntry, now: number): Directory {
  return changed(db, now, () => putEntry(db, entry));
}

export function deleteEntry(db: Database, agentId: string, now: number): Directory {
  return changed(db, now, () => {
    db.run("INSERT OR IGNORE INTO Retired SELECT agentId FROM Entries WHERE agentId = ?", agentId);
    db.run("DELETE FROM Entries WHERE agentId = ?", agentId);
  });
}

/** Replaces the instance's document alone. */
export function writeInstance(db: Database, instance: InstanceConfig, now: number): Directory {
  return changed(db, now, () => db.run("UPDATE Instance SET json = ?", JSON.stringify(instance)));
}

/** Everybody who works here or once did, sorted. */
export function everyAgentId(db: Database): string[] {
  return db
    .all("SELECT agentId FROM Entries UNION SELECT agentId FROM Retired ORDER BY agentId")
    .map((row) => text(row, "agentId"));
}

function putEntry(db: Database, entry: DirectoryEntry): void {
  const json = JSON.stringify(entry);
  db.run("INSERT OR REPLACE INTO Entries (agentId, json) VALUES (?, ?)", entry.agentId, json);
}

/** Revisions follow the clock (epoch milliseconds), so that a hub that has lost its storage is still believed. */
function changed(db: Database, now: number, change: () => void): Directory {
  return db.transaction(() => {
    db.run(
      `INSERT INTO Instance (id, revision) VALUES (1, ?)
       ON CONFLICT DO UPDATE SET revision = max(revision + 1, excluded.revision)`,
      now,
    );
    change();
    return readDirectory(db);
  });
}
