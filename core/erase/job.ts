/**
 * The work of erasing, cut into steps that each read and write a bounded amount. First everything is erased, then
 * everything is gone over once more and counted; what that finds is erased in another pass. A step may be made
 * again, so the state is written down after each and any call goes on from it.
 */
import type { Needle } from "./needle.ts";
import { type EraseStores, PARTS, type StepDone } from "./parts.ts";

export interface EraseState {
  readonly dryRun: boolean;
  /** Epoch milliseconds: its beginning, and its latest step. */
  readonly begunAt: number;
  readonly lastAt: number;
  /** Counts steps. */
  readonly steps: number;
  /** Odd ones erase, even ones count; a dry run has one that counts. */
  readonly pass: number;
  /** Index of the part that is at work. */
  readonly part: number;
  /** Where in it, as the part writes it; null at its beginning. */
  readonly place: string | null;
  /** In how many rows or texts it was found, by part, over all passes that erase. */
  readonly found: Readonly<Record<string, number>>;
  /** What the latest pass that counts has found so far. */
  readonly remaining: number;
  /** Agents whose config names it. */
  readonly inConfig: readonly string[];
  /** Files whose name holds it; a few. */
  readonly files: readonly string[];
}

/** `now` in epoch milliseconds. */
export function newErasure(dryRun: boolean, now: number): EraseState {
  const beginning = { pass: 1, part: 0, place: null, found: {}, remaining: 0, inConfig: [], files: [] };
  return { dryRun, begunAt: now, lastAt: now, steps: 0, ...beginning };
}

/** What was gone over longer ago proves nothing any more. */
const MAX_PAUSE_MS = 3_600_000;

/** Goes on with one that was cut short; after a longer pause from the beginning, with what it had found already. */
export function resumedErasure(kept: EraseState, now: number): EraseState {
  // One of an older version says no time.
  if (now - kept.lastAt <= MAX_PAUSE_MS) return kept;
  const begun = newErasure(kept.dryRun, now);
  return kept.dryRun ? begun : { ...begun, found: kept.found };
}

/** More are not told. */
const SHOWN_FILES = 50;
/** So many times it is tried again while somebody keeps writing the text anew. */
const MAX_PASSES = 6;

export function isDone(state: EraseState): boolean {
  return state.part >= PARTS.length;
}

/** Whether nothing was left when it was last gone over. Of a dry run: whether there is nothing at all. */
export function isClean({ dryRun, found, remaining }: EraseState): boolean {
  return dryRun ? Object.values(found).every((rows) => rows === 0) : remaining === 0;
}

/** What is at work, for people. */
export function partName(state: EraseState): string {
  return PARTS[state.part]?.name ?? "done";
}

/** One step; `now` in epoch milliseconds. Rejects when a store does; the state before it holds then. */
export async function eraseStep(
  stores: EraseStores,
  needle: Needle,
  { state, now }: { readonly state: EraseState; readonly now: number },
): Promise<EraseState> {
  const part = PARTS[state.part];
  if (part === undefined) return state;
  const write = !state.dryRun && state.pass % 2 === 1;
  const done = await part.work(stores, needle, { place: state.place, write });
  const timed = { ...state, steps: state.steps + 1, lastAt: now };
  return advanced(counted(timed, done, { name: part.name, write }), done.next);
}

function counted(
  state: EraseState,
  done: StepDone,
  { name, write }: { readonly name: string; readonly write: boolean },
): EraseState {
  const counts = write || state.dryRun;
  const named = (known: readonly string[], more: readonly string[] = []) => [...new Set([...known, ...more])];
  return {
    ...state,
    found: counts ? { ...state.found, [name]: (state.found[name] ?? 0) + done.found } : state.found,
    remaining: counts ? 0 : state.remaining + done.found,
    inConfig: named(state.inConfig, done.inConfig),
    files: named(state.files, done.files).slice(0, SHOWN_FILES),
  };
}

function advanced(state: EraseState, next: string | null): EraseState {
  if (next !== null) return { ...state, place: next };
  if (state.part + 1 < PARTS.length) return { ...state, part: state.part + 1, place: null };
  const erasing = state.pass % 2 === 1;
  const again = !state.dryRun && (erasing || (state.remaining > 0 && state.pass < MAX_PASSES));
  return again
    ? { ...state, pass: state.pass + 1, part: 0, place: null }
    : { ...state, part: PARTS.length, place: null };
}
