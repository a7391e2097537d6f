/** What a key does in the tree of runs, as in any tree: arrows go and fold, Home and End jump, Enter chooses. */
import type { TreeRow } from "./tree.ts";

export interface TreeKeys {
  readonly rows: readonly TreeRow[];
  /** Indexes of the rows that are shown, in order. */
  readonly page: readonly number[];
  /** The run that has the focus. */
  readonly runId: string | undefined;
  readonly folded: ReadonlySet<string>;
}

export interface KeyMove {
  readonly act: "focus" | "toggle" | "choose";
  readonly runId: string;
}

/** Null when the key means nothing there. */
export function keyMove(key: string, { rows, page, runId, folded }: TreeKeys): KeyMove | null {
  const at = page.findIndex((index) => rows[index]?.run.runId === runId);
  const row = rows[page[at] ?? -1];
  if (row === undefined || runId === undefined) return null;
  const focus = (place: number): KeyMove | null => goTo(rows[page[place] ?? -1]);
  const isParent = row.sum.runs > 1;
  switch (key) {
    case "ArrowDown":
      return focus(at + 1);
    case "ArrowUp":
      return focus(at - 1);
    case "Home":
      return focus(0);
    case "End":
      return focus(page.length - 1);
    case "ArrowRight":
      if (!isParent) return null;
      return folded.has(runId) ? { act: "toggle", runId } : focus(at + 1);
    case "ArrowLeft":
      if (isParent && !folded.has(runId)) return { act: "toggle", runId };
      return row.parent === null ? null : goTo(rows[row.parent]);
    case "Enter":
    case " ":
      return { act: "choose", runId };
    default:
      return null;
  }
}

function goTo(row: TreeRow | undefined): KeyMove | null {
  return row === undefined ? null : { act: "focus", runId: row.run.runId };
}
