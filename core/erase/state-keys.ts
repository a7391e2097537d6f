/** A tool's state is kept by keys that may be anything, an address too; a long value lies apart, under that key. */
import { type Database, first } from "../journal/database.ts";
import type { Eraser } from "./needle.ts";

const LONG_KEY = /^(@?state:[^:]*:)(.*)$/s;

/** The name of a state's long text, or the reference to it; others are as they are. The tool's name stays. */
export function eraseLongKey(key: string, eraser: Eraser): string {
  const [, tool, rest] = LONG_KEY.exec(key) ?? [];
  return tool === undefined || rest === undefined ? key : tool + eraser.erase(rest);
}

/** Takes the long text along in the same transaction; what another one left under that name goes. */
export function moveLongState(
  db: Database,
  tool: string,
  keys: { readonly from: string; readonly to: string },
): void {
  const [from, to] = [`state:${tool}:${keys.from}`, `state:${tool}:${keys.to}`];
  db.run("DELETE FROM LongTexts WHERE key = ?", to);
  db.run("UPDATE LongTexts SET key = ? WHERE key = ?", to, from);
}

/** Whether no state refers to it, so that nothing would take it along. */
export function isLoose(db: Database, key: string): boolean {
  const [, tool = "", rest = ""] = LONG_KEY.exec(key) ?? [];
  const name = tool.slice("state:".length, -1);
  return first(db, "SELECT 1 FROM ToolState WHERE tool = ? AND key = ?", name, rest) === null;
}
