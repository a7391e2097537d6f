/** Compares the roll-ups with the rows that they are sums of, a bounded piece a call. Changes nothing. */
import type { Reader } from "../record/reader.ts";
import { checkChainSums, checkChains } from "./check-chains.ts";
import { checkMessages, checkRuns } from "./check-days.ts";
import { checkMonths } from "./check-months.ts";
import { type Place, readCursor, writeCursor } from "./rollup-cursor.ts";

export interface Difference {
  readonly table: "MessageRollups" | "RunRollups" | "ChainFacts" | "ChainRollups";
  /** The month, day, hour or chain, and which figure of it. */
  readonly key: string;
  readonly rows: number;
  readonly rollup: number;
}

export interface CheckStep {
  readonly done: boolean;
  readonly cursor: string | null;
  readonly checked: number;
  /** At most 100 of a piece. */
  readonly differences: readonly Difference[];
}

export interface CheckPiece {
  readonly checked: number;
  readonly differences: readonly Difference[];
  /** Null at the phase's end. */
  readonly next: Place | null;
}

const SHOWN = 100;
const PHASES = ["messages", "runs", "months", "chains", "sums"] as const;

const PIECES: Readonly<
  Record<(typeof PHASES)[number], (reader: Reader, at: Place) => Promise<CheckPiece | null>>
> = {
  messages: checkMessages,
  runs: checkRuns,
  months: checkMonths,
  chains: checkChains,
  sums: checkChainSums,
};

/** Null for a cursor that no step answered. Rejects when D1 does. */
export async function checkStep(reader: Reader, cursor: string | null): Promise<CheckStep | null> {
  const at = readCursor(cursor, PHASES);
  const piece = at === null ? null : await PIECES[at.phase](reader, at);
  if (at === null || piece === null) return null;
  const next = nextCursor(at.phase, piece.next);
  return {
    done: next === null,
    cursor: next,
    checked: piece.checked,
    differences: piece.differences.slice(0, SHOWN),
  };
}

function nextCursor(phase: (typeof PHASES)[number], next: Place | null): string | null {
  if (next !== null) return writeCursor({ phase, ...next });
  const following = PHASES[PHASES.indexOf(phase) + 1];
  return following === undefined ? null : writeCursor({ phase: following, part: "", place: "" });
}
