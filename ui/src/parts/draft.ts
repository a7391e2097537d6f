/** What was typed and not yet sent: it survives a refusal, another view, and loading the page anew in this tab. */
import { type Signal, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";

const PREFIX = "parley-draft:";

/** The draft kept under this name; the empty text forgets it. */
export function useDraft(name: string): Signal<string> {
  return useMemo(() => openDraft(name), [name]);
}

function openDraft(name: string): Signal<string> {
  const text = signal(sessionStorage.getItem(PREFIX + name) ?? "");
  text.subscribe((value) => keep(PREFIX + name, value));
  return text;
}

function keep(key: string, value: string): void {
  if (value === "") sessionStorage.removeItem(key);
  else
    try {
      sessionStorage.setItem(key, value);
    } catch {
      // The tab's storage is full: the text stays where it was typed.
    }
}
