/** Erases in one stored value. JSON stays JSON. */
import type { Eraser } from "./needle.ts";
import { isPlainName, isStructural } from "./structure.ts";

/** A text of people, models or tools, which may be JSON with anything in it. */
export function eraseText(text: string, needle: Eraser): string {
  const erased = needle.erase(text);
  if (erased === text || !isJson(text) || isJson(erased)) return erased;
  // It stood there as a number.
  const value: unknown = JSON.parse(text);
  return JSON.stringify(walked(value, needle, false));
}

/** JSON of our own making: keys and structure stay as they are. Anything else is taken for a text. */
export function eraseOwnJson(text: string, needle: Eraser): string {
  if (!isJson(text)) return eraseText(text, needle);
  const value: unknown = JSON.parse(text);
  const erased = JSON.stringify(walked(value, needle, true));
  return erased === JSON.stringify(value) ? text : erased;
}

/** A value of an agent's journal: `=` and a text, or `@` and the key of a long one, see core/journal/long-text.ts. */
export function erasePacked(stored: string, own: boolean, needle: Eraser): string {
  const erase = own ? eraseOwnJson : eraseText;
  return stored.startsWith("=") ? `=${erase(stored.slice(1), needle)}` : erase(stored, needle);
}

function walked(value: unknown, needle: Eraser, own: boolean): unknown {
  if (typeof value === "string") return eraseText(value, needle);
  if (typeof value === "number" && !own) return needle.count(String(value)) > 0 ? needle.mark : value;
  if (Array.isArray(value)) return value.map((item: unknown) => walked(item, needle, own));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      own
        ? [key, isLeft(key, item) ? item : walked(item, needle, own)]
        : [needle.erase(key), walked(item, needle, own)],
    ),
  );
}

function isLeft(key: string, value: unknown): boolean {
  return (
    typeof value !== "object" && (isStructural(key) || (typeof value === "string" && isPlainName(key, value)))
  );
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
