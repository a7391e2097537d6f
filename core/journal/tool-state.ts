import type { ToolState } from "../tool.ts";
import { type Database, first, text } from "./database.ts";
import { packText, unpackText } from "./long-text.ts";

/** The state store of one tool in this agent's object (L8): the tool's name is fixed here, not by the tool. */
export function toolState(db: Database, tool: string): ToolState {
  return {
    get: async (key) => readState(db, tool, key),
    set: async (key, value) => writeState(db, tool, { key, value }),
    delete: async (key) => deleteState(db, tool, key),
    list: async (prefix) => listState(db, tool, prefix),
  };
}

export function readState(db: Database, tool: string, key: string): string | null {
  const row = first(db, "SELECT value FROM ToolState WHERE tool = ? AND key = ?", tool, key);
  return row === null ? null : unpackText(db, text(row, "value"));
}

export function writeState(db: Database, tool: string, entry: { key: string; value: string }): void {
  const { key, value } = entry;
  db.run("DELETE FROM LongTexts WHERE key = ?", `state:${tool}:${key}`);
  const packed = packText(db, `state:${tool}:${key}`, value);
  db.run("INSERT OR REPLACE INTO ToolState (tool, key, value) VALUES (?, ?, ?)", tool, key, packed);
}

export function deleteState(db: Database, tool: string, key: string): void {
  db.run("DELETE FROM LongTexts WHERE key = ?", `state:${tool}:${key}`);
  db.run("DELETE FROM ToolState WHERE tool = ? AND key = ?", tool, key);
}

/** Keys with the prefix, in order. */
export function listState(db: Database, tool: string, prefix: string): string[] {
  return db
    .all(
      "SELECT key FROM ToolState WHERE tool = ? AND substr(key, 1, ?) = ? ORDER BY key",
      tool,
      [...prefix].length,
      prefix,
    )
    .map((row) => text(row, "key"));
}
