/** What is chosen in a chain. It stands in the address, so that all readings and a link share it. */
import type { Chain, Message } from "../api/types.ts";
import { changeQuery, place } from "../location/place.ts";
import type { ChainRun } from "./chain-run.ts";

export const READINGS = ["tree", "timeline", "transcript"] as const;
export type Reading = (typeof READINGS)[number];

export interface Selection {
  readonly run: ChainRun | null;
  readonly message: Message | null;
}

export function readingNow(): Reading {
  return READINGS.find((each) => each === place.value.query.show) ?? "tree";
}

/** A message alone chooses the run that said it, too. */
export function selectionOf(chain: Chain, runs: readonly ChainRun[]): Selection {
  const { run, m } = place.value.query;
  const message =
    m === undefined ? null : (chain.messages.find(({ id, uid }) => String(id) === m || uid === m) ?? null);
  const runId = run ?? message?.runId;
  return { message, run: runs.find((each) => each.runId === runId) ?? null };
}

/** Whether the panel takes the focus when it shows something else: only when somebody chose it just now. */
let wantsFocus = false;

export function selectRun(runId: string): void {
  wantsFocus = true;
  changeQuery({ run: runId, m: null }, "replace");
}

export function selectMessage(message: Message): void {
  wantsFocus = true;
  changeQuery({ run: null, m: keyOf(message) }, "replace");
}

/** True once after each choice. */
export function takeFocusWish(): boolean {
  const wish = wantsFocus;
  wantsFocus = false;
  return wish;
}

export function selectNothing(): void {
  changeQuery({ run: null, m: null }, "replace");
}

export function keyOf(message: Message): string {
  return String(message.id);
}
