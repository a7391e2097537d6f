/** Keys of the view. Single letters can be switched off: speech input and some hands press them by accident. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

const storageKey = "parley-single-keys";
const CHORD_MS = 1_500;

export const singleKeys = signal(localStorage.getItem(storageKey) !== "off");

export function allowSingleKeys(allowed: boolean): void {
  localStorage.setItem(storageKey, allowed ? "on" : "off");
  singleKeys.value = allowed;
}

export interface KeyActs {
  find(): void;
  help(): void;
  date(): void;
  pair(step: 1 | -1): void;
}

export function useKeys(acts: KeyActs): void {
  const newest = useRef(acts);
  newest.current = acts;
  useEffect(() => {
    let before = { key: "", at: 0 };
    const press = (event: KeyboardEvent) => {
      if (!singleKeys.peek() || isTaken(event)) return;
      const afterG = before.key === "g" && event.timeStamp - before.at < CHORD_MS;
      before = { key: event.key, at: event.timeStamp };
      const act = actOf(event.key, afterG, newest.current);
      if (act === null) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

function actOf(key: string, afterG: boolean, acts: KeyActs): (() => void) | null {
  if (afterG) return key === "d" ? acts.date : null;
  switch (key) {
    case "/":
      return acts.find;
    case "?":
      return acts.help;
    case "j":
      return () => acts.pair(1);
    case "k":
      return () => acts.pair(-1);
    default:
      return null;
  }
}

/** Keys that are typed into something, or belong to the browser or a dialog. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  const { target } = event;
  return (
    target instanceof Element && target.closest("input, select, textarea, dialog, [contenteditable]") !== null
  );
}
