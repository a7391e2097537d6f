/** Named values of an agent's object: its documents, its current conversation, whether it is paused. */
import { type Database, first, ownJson, text } from "./database.ts";
import { packText, unpackText } from "./long-text.ts";

export function getSetting<T>(db: Database, name: string): T | null {
  const row = first(db, "SELECT value FROM Settings WHERE name = ?", name);
  return row === null ? null : ownJson<T>(unpackText(db, text(row, "value")));
}

export function setSetting(db: Database, name: string, value: unknown): void {
  const packed = packText(db, `setting:${name}`, JSON.stringify(value));
  db.run("INSERT OR REPLACE INTO Settings (name, value) VALUES (?, ?)", name, packed);
}
