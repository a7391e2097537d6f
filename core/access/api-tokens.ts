/**
 * The instance's API tokens, in the hub's own storage: only hashes, so that nobody can take a token from there.
 * Revoked ones are remembered for a while, because who still has one is not guessing.
 */
import { type Database, first, int, intOrNull, type Row, text } from "../journal/database.ts";
import { type Role, roleNamed } from "./roles.ts";

/** Tokens that are not revoked, expired ones included. */
export const MAX_TOKENS = 100;
const MAX_REVOKED = 1_000;
/** When a token was last used is written once in so many milliseconds at most. */
const USE_NOTED_MS = 3_600_000;

/** What may be shown of a token. Times are epoch milliseconds. */
export interface TokenEntry {
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  /** Null for one that does not expire. */
  readonly expiresAt: number | null;
  /** To the hour; null before the first use. */
  readonly lastUsedAt: number | null;
}

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the token's text, in hexadecimal. */
  readonly hash: string;
  readonly expiresAt: number | null;
}

export type TokenCreated =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: "taken" | "too_many" };

export type TokenVerdict =
  | { readonly ok: true; readonly name: string; readonly role: Role; readonly expiresAt: number | null }
  | { readonly ok: false; readonly code: "unknown" | "revoked" | "expired" };

/** SHA-256 in hexadecimal of every token that is remembered. */
export interface TokenHashes {
  readonly inForce: ReadonlySet<string>;
  /** Revoked, or expired. */
  readonly lapsed: ReadonlySet<string>;
}

export function createTokenSchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS ApiTokens (
      hash TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, createdAt INTEGER NOT NULL,
      expiresAt INTEGER, lastUsedAt INTEGER, revokedAt INTEGER
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX IF NOT EXISTS ApiTokensByName ON ApiTokens (name) WHERE revokedAt IS NULL;
  `);
}

/** Creating the same token again changes nothing. `now` in epoch milliseconds. */
export function createToken(db: Database, token: NewToken, now: number): TokenCreated {
  const { name, role, hash, expiresAt } = token;
  return db.transaction(() => {
    if (first(db, "SELECT 1 FROM ApiTokens WHERE hash = ?", hash) !== null) return { ok: true };
    if (first(db, "SELECT 1 FROM ApiTokens WHERE name = ? AND revokedAt IS NULL", name) !== null)
      return { ok: false, code: "taken" };
    if (listTokens(db).length >= MAX_TOKENS) return { ok: false, code: "too_many" };
    db.run(
      "INSERT INTO ApiTokens (hash, name, role, createdAt, expiresAt) VALUES (?, ?, ?, ?, ?)",
      hash,
      name,
      role,
      now,
      expiresAt,
    );
    return { ok: true };
  });
}

/** Those that are not revoked, by name. */
export function listTokens(db: Database): TokenEntry[] {
  return db.all("SELECT * FROM ApiTokens WHERE revokedAt IS NULL ORDER BY name").map(entryOf);
}

/** False when no token of that name is in force. */
export function revokeToken(db: Database, name: string, now: number): boolean {
  return db.transaction(() => {
    if (first(db, "SELECT 1 FROM ApiTokens WHERE name = ? AND revokedAt IS NULL", name) === null)
      return false;
    db.run("UPDATE ApiTokens SET revokedAt = ? WHERE name = ? AND revokedAt IS NULL", now, name);
    db.run(
      `DELETE FROM ApiTokens WHERE hash IN (
         SELECT hash FROM ApiTokens WHERE revokedAt IS NOT NULL ORDER BY revokedAt DESC LIMIT -1 OFFSET ?)`,
      MAX_REVOKED,
    );
    return true;
  });
}

/** At most `MAX_TOKENS` in force and a thousand others. `now` in epoch milliseconds. */
export function readHashes(db: Database, now: number): TokenHashes {
  const rows = db.all(
    "SELECT hash, revokedAt IS NULL AND (expiresAt IS NULL OR expiresAt > ?) AS inForce FROM ApiTokens",
    now,
  );
  const hashes = (inForce: number) =>
    new Set(rows.filter((row) => row.inForce === inForce).map((row) => text(row, "hash")));
  return { inForce: hashes(1), lapsed: hashes(0) };
}

/** Whose token has that hash, and notes now and then that it is in use. */
export function identifyToken(db: Database, hash: string, now: number): TokenVerdict {
  const row = first(db, "SELECT * FROM ApiTokens WHERE hash = ?", hash);
  if (row === null) return { ok: false, code: "unknown" };
  if (row.revokedAt !== null) return { ok: false, code: "revoked" };
  const { name, role, expiresAt, lastUsedAt } = entryOf(row);
  if (expiresAt !== null && expiresAt <= now) return { ok: false, code: "expired" };
  if (lastUsedAt === null || lastUsedAt + USE_NOTED_MS <= now)
    db.run("UPDATE ApiTokens SET lastUsedAt = ? WHERE hash = ?", now - (now % USE_NOTED_MS), hash);
  return { ok: true, name, role, expiresAt };
}

function entryOf(row: Row): TokenEntry {
  const role = roleNamed(text(row, "role"));
  if (role === null) throw new TypeError("A token's role is none");
  return {
    name: text(row, "name"),
    role,
    createdAt: int(row, "createdAt"),
    expiresAt: intOrNull(row, "expiresAt"),
    lastUsedAt: intOrNull(row, "lastUsedAt"),
  };
}
