/**
 * How often one thread is answered in an hour. Automatic mail is recognised by its marks; a loop over a mailbox that
 * forwards without any is only recognised by going round.
 */
import type { ToolState } from "../../core/tool.ts";

export const MAX_REPLIES_PER_HOUR = 5;
const HOUR_MS = 3_600_000;
const PREFIX = "replies/";

/** Takes one reply of the thread's hour; false when there is none left. Forgets threads that have been quiet. */
export async function takeReply(state: ToolState, root: string, now: number): Promise<boolean> {
  const key = PREFIX + root;
  for (const other of await state.list(PREFIX)) {
    if (other !== key && recent(await state.get(other), now).length === 0) await state.delete(other);
  }
  const times = recent(await state.get(key), now);
  if (times.length >= MAX_REPLIES_PER_HOUR) return false;
  await state.set(key, [...times, now].join(","));
  return true;
}

function recent(stored: string | null, now: number): number[] {
  return (stored ?? "")
    .split(",")
    .filter((time) => time !== "")
    .map(Number)
    .filter((time) => time > now - HOUR_MS);
}
