/** Named values of an agent's object: its documents, its current conversation, whether it is paused. */
import { type Database, first, ownJson, text } from "./database.ts";
import { packText, unpackText } from "./long-text.ts";

/** What was read before, as JSON or null, by object and name: some are asked for several times in each step. */
const known = new WeakMap<Database, Map<string, string | null>>();

export function getSetting<T>(db: Database, name: string): T | null {
  const cache = known.get(db) ?? new Map<string, string | null>();
  known.set(db, cache);
  const cached = cache.get(name);
  const json = cached === undefined ? readSetting(db, name) : cached;
  cache.set(name, json);
  return json === null ? null : ownJson<T>(json);
}

function readSetting(db: Database, name: string): string | null {
  const row = first(db, "SELECT value FROM Settings WHERE name = ?", name);
  return row === null ? null : unpackText(db, text(row, "value"));
}

/** After something else has written there: what was read before counts no more. */
export function forgetSettings(db: Database): void {
  known.delete(db);
}

export function setSetting(db: Database, name: string, value: unknown): void {
  known.get(db)?.delete(name);
  const packed = packText(db, `setting:${name}`, JSON.stringify(value));
  db.run("INSERT OR REPLACE INTO Settings (name, value) VALUES (?, ?)", name, packed);
}
