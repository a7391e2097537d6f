/**
 * Back and forth: two agents who turn to each other by turns, without either getting on. Only what somebody
 * starts counts as a turn: questions, tasks, comments, mail. Answers and results do not.
 */
import type { MessageChannel } from "../record/vocabulary.ts";

export interface Turn {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  /** ISO 8601. */
  readonly at: string;
}

interface Initiative {
  readonly channel: MessageChannel;
  readonly direction: "request" | "response";
}

export function isTurn({ channel, direction }: Initiative): boolean {
  return channel === "task_comment" || channel === "mail" || direction === "request";
}

/** So many turns in one chain are no clarification any more: three from each side. */
export const MIN_TURNS = 6;

/** The longest back and forth in these turns, by time; empty without any. All are of one pair. */
export function longestExchange<T extends Turn>(turns: readonly T[]): readonly T[] {
  return exchanges(turns, Number.POSITIVE_INFINITY).reduce<readonly T[]>(
    (longest, each) => (each.length > longest.length ? each : longest),
    [],
  );
}

/** Pieces in which the sender changes with every turn and no turn comes later than `gapMs` after the one before. */
function exchanges<T extends Turn>(turns: readonly T[], gapMs: number): T[][] {
  const pieces: T[][] = [];
  for (const turn of turns) {
    const piece = pieces.at(-1);
    const last = piece?.at(-1);
    const goesOn =
      last !== undefined && last.from !== turn.from && Date.parse(turn.at) - Date.parse(last.at) <= gapMs;
    if (piece !== undefined && goesOn) piece.push(turn);
    else pieces.push([turn]);
  }
  return pieces;
}

/** Over several chains, turns belong together when each follows the other within that time. */
export const WINDOW_MS = 10 * 60_000;
/**
 * Chance makes alternations too: two agents who write each other at random do so that often in a row once in half
 * a million turns. The same for each pair and each look, so that it does not matter how often, and with how many
 * others, an exchange is looked at.
 */
export const MIN_QUICK_TURNS = 20;

/** Back and forth over several chains, within the window from turn to turn. */
export function surprisingExchanges<T extends Turn>(turns: readonly T[]): T[][] {
  return exchanges(turns, WINDOW_MS).filter((piece) => piece.length >= MIN_QUICK_TURNS);
}
