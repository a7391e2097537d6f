import type { Scrubber } from "../scrub/index.ts";

/**
 * Scrubs a text that may be a JSON document, such as a call's arguments or a tool's result. Where strings in
 * it hold escapes of their own, a secret lies deeper in the document's text than in the strings that are
 * taken from it: these are scrubbed too.
 */
export function scrubDocument(scrubber: Scrubber, text: string): string {
  const scrubbed = scrubber.scrub(text);
  if (!scrubbed.includes("\\\\")) return scrubbed;
  const value = parseOrNull(scrubbed);
  if (value === null) return scrubbed;
  const document = JSON.stringify(scrubber.scrubJson(value));
  return document === JSON.stringify(value) ? scrubbed : document;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
