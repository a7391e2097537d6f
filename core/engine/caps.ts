/** What of a text goes to a model. The record keeps it whole; a cap always says that it cut. No I/O, no `this`. */
import { z } from "zod";
import { cutPosition } from "../journal/long-text.ts";

/** Room for the note that tells how much was cut. */
const NOTE_CHARS = 120;

/** The end of a frame around foreign text, where a text ends with one. */
const FRAME_END = /<\/untrusted_content(?: id="[\w-]{1,64}")?>\s*$/;
const FRAME_END_CHARS = 100;

/** At most `limit` UTF-16 units of the text, then a note of what is missing. A frame that is cut still ends. */
export function capText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = FRAME_END.exec(text.slice(-FRAME_END_CHARS))?.[0].trim() ?? "";
  const kept = text.slice(0, cutPosition(text, Math.max(0, limit - NOTE_CHARS - end.length)));
  const note = `[cut: ${kept.length} of ${text.length} characters shown; the record keeps the whole text]`;
  return end === "" ? `${kept}\n${note}` : `${kept}\n${end}\n${note}`;
}

/** Shares a total among pieces: short ones keep all they need, the long ones split the rest evenly. */
export function shareOut(lengths: readonly number[], total: number): number[] {
  const shares = lengths.map(() => 0);
  let left = total;
  const byLength = lengths.map((length, index) => ({ length, index })).sort((a, b) => a.length - b.length);
  byLength.forEach(({ length, index }, place) => {
    const share = Math.min(length, Math.floor(left / (byLength.length - place)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}

/** Texts of one step, capped so that together they stay within `total`. */
export function capTogether(texts: readonly string[], total: number): string[] {
  const shares = shareOut(
    texts.map((text) => text.length),
    total,
  );
  return texts.map((text, index) => capText(text, shares[index] ?? 0));
}

const jsonObject = z.record(z.string(), z.unknown());

/** A call's arguments for the history: valid JSON of bounded size, whatever the model wrote. */
export function capArguments(json: string, limit: number): string {
  const parsed = parseJsonObject(json);
  if (parsed === null) return JSON.stringify({ _unreadable: capText(json, limit) });
  if (json.length <= limit) return JSON.stringify(parsed);
  const entries = Object.entries(parsed);
  const texts = entries.map(([, value]) => (typeof value === "string" ? value : JSON.stringify(value)));
  const capped = capTogether(texts, limit);
  const shortened = JSON.stringify(
    Object.fromEntries(
      entries.map(([key, value], index) => [key, capped[index] === texts[index] ? value : capped[index]]),
    ),
  );
  // Names of arguments can be long or many too; escapes at most double what was kept.
  return shortened.length <= 2 * limit + NOTE_CHARS
    ? shortened
    : JSON.stringify({ _cut: capText(json, limit) });
}

/** The object that a JSON text holds, or null when it holds anything else. */
export function parseJsonObject(json: string): Record<string, unknown> | null {
  try {
    const parsed = jsonObject.safeParse(JSON.parse(json));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
