/** Scrubbing of structured data. */
import { isCredentialName } from "./assignments.ts";

type Scrub = (text: string) => string;

/**
 * A copy with every string, every object key and every number that spells a secret scrubbed. What JSON
 * cannot hold becomes what `JSON.stringify` would make of it; deeper nesting than the limit becomes its text.
 */
export function scrubJson(value: unknown, scrub: Scrub): unknown {
  return copy(value, scrub, 0);
}

/** JSON of sane data is far from this; a deeper one must not overflow the stack. */
const MAX_NESTING = 500;

function copy(value: unknown, scrub: Scrub, depth: number): unknown {
  if (typeof value === "string") return scrub(value);
  if (typeof value === "number" || typeof value === "bigint") return scrubNumber(value, scrub);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_NESTING) return "[nested too deep]";
  if (Array.isArray(value)) return value.map((item: unknown) => copy(item, scrub, depth + 1));
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return copy(value.toJSON(), scrub, depth + 1);
  }
  const fields = new Map<string, unknown>();
  for (const [key, field] of Object.entries(value)) {
    const scrubbed =
      typeof field === "string" ? scrubField(key, field, scrub) : copy(field, scrub, depth + 1);
    fields.set(freeKey(scrub(key), fields), scrubbed);
  }
  return Object.fromEntries(fields);
}

/** A field's name can be what tells a credential, as it does in the text of the same document. */
function scrubField(key: string, value: string, scrub: Scrub): string {
  if (!isCredentialName(key)) return scrub(value);
  const before = `${key}="`;
  const field = scrub(`${before}${value}"`);
  const isWhole = field.startsWith(before) && field.endsWith('"') && field.length > before.length;
  return isWhole ? scrub(field.slice(before.length, -1)) : scrub(value);
}

function scrubNumber(value: number | bigint, scrub: Scrub): number | bigint | string {
  const text = String(value);
  const scrubbed = scrub(text);
  return scrubbed === text ? value : scrubbed;
}

/** Two keys may get the same mask; neither field may be lost. */
function freeKey(key: string, fields: ReadonlyMap<string, unknown>): string {
  let free = key;
  for (let i = 2; fields.has(free); i++) free = `${key} ${i}`;
  return free;
}
