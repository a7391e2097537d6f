/** Which long texts have been unfolded: remembered over leaving the page's window and coming back. */
import { signal } from "@preact/signals";

const unfolded = signal<ReadonlySet<string>>(new Set());

export const isUnfolded = (uid: string): boolean => unfolded.value.has(uid);

export function toggleFolded(uid: string): void {
  const next = new Set(unfolded.peek());
  if (!next.delete(uid)) next.add(uid);
  unfolded.value = next;
}
