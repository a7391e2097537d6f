/**
 * The versions of one config document, newest last, in the object that works by it: so what is listed and what
 * is in force can never disagree. Callers make the transactions.
 */
import { type Database, first, int, ownJson, type Row, text, textOrNull } from "../journal/database.ts";

/** More are forgotten, the oldest first. */
export const KEPT_VERSIONS = 20;

export interface ConfigVersion {
  /** Counts from 1 and never again from the beginning. */
  readonly version: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** Who put it in force; null where that is not known. */
  readonly actor: string | null;
}

export interface NewVersion {
  readonly document: unknown;
  readonly actor: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

export function createVersionSchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS ConfigVersions (
      version INTEGER PRIMARY KEY AUTOINCREMENT, document TEXT NOT NULL, actor TEXT, at INTEGER NOT NULL
    )
  `);
}

/** Keeps a document that is not the newest version already. */
export function keepVersion(db: Database, { document, actor, now }: NewVersion): void {
  const json = JSON.stringify(document);
  const newest = first(db, "SELECT document FROM ConfigVersions ORDER BY version DESC LIMIT 1");
  if (newest !== null && text(newest, "document") === json) return;
  db.run("INSERT INTO ConfigVersions (document, actor, at) VALUES (?, ?, ?)", json, actor, now);
  db.run(
    "DELETE FROM ConfigVersions WHERE version <= (SELECT max(version) FROM ConfigVersions) - ?",
    KEPT_VERSIONS,
  );
}

/** Newest first. */
export function listVersions(db: Database): ConfigVersion[] {
  return db.all("SELECT version, actor, at FROM ConfigVersions ORDER BY version DESC").map(versionOf);
}

/** Null for one that is not kept any more, or never was. */
export function readVersion(
  db: Database,
  version: number,
): (ConfigVersion & { readonly document: unknown }) | null {
  const row = first(db, "SELECT * FROM ConfigVersions WHERE version = ?", version);
  return row === null ? null : { ...versionOf(row), document: ownJson<unknown>(text(row, "document")) };
}

function versionOf(row: Row): ConfigVersion {
  return {
    version: int(row, "version"),
    at: new Date(int(row, "at")).toISOString(),
    actor: textOrNull(row, "actor"),
  };
}
