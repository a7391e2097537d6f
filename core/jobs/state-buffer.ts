/** A tool's state store during one tick: what it changes takes effect with the tick, or not at all. */
import type { Database } from "../journal/database.ts";
import { deleteState, listState, readState, writeState } from "../journal/tool-state.ts";
import type { ToolState } from "../tool.ts";

export interface StateBuffer {
  /** For the tool. Refuses everything once the buffer is closed. */
  readonly state: ToolState;
  /** Writes the changes; the caller makes the transaction. */
  commit(): void;
  /** From here on the tool changes nothing any more, whatever it kept of its context. */
  close(): void;
}

export function stateBuffer(db: Database, tool: string): StateBuffer {
  /** Null is deleted. */
  const changes = new Map<string, string | null>();
  let open = true;
  const check = (...texts: readonly unknown[]) => {
    if (!open) throw new Error("The tick is over; its state store is closed.");
    if (!texts.every((text) => typeof text === "string"))
      throw new TypeError("Keys and values of the state store are texts.");
  };
  return {
    state: {
      get: async (key) => {
        check(key);
        const changed = changes.get(key);
        return changed === undefined ? readState(db, tool, key) : changed;
      },
      set: async (key, value) => {
        check(key, value);
        changes.set(key, value);
      },
      delete: async (key) => {
        check(key);
        changes.set(key, null);
      },
      list: async (prefix) => {
        check(prefix);
        return merged(listState(db, tool, prefix), changes, prefix);
      },
    },
    commit: () => {
      for (const [key, value] of changes)
        if (value === null) deleteState(db, tool, key);
        else writeState(db, tool, { key, value });
    },
    close: () => {
      open = false;
    },
  };
}

/** In the order in which the database sorts: by UTF-8 bytes, which is by code points. */
function merged(
  stored: readonly string[],
  changes: ReadonlyMap<string, string | null>,
  prefix: string,
): string[] {
  const added = [...changes].filter(([key, value]) => value !== null && key.startsWith(prefix));
  const keys = new Set([...stored, ...added.map(([key]) => key)]);
  return [...keys].filter((key) => changes.get(key) !== null).sort(byCodePoints);
}

function byCodePoints(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((char, index) => char !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}
