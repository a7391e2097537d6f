/**
 * The scrubber (L5): nothing is written, sent to a model or handed to another agent before it went through
 * here. Known secrets become `[secret:NAME]`, other credentials `[secret]`.
 */
import { createCutter } from "./cuts.ts";
import { scrubJson } from "./json.ts";
import { splitAtMasks } from "./mask.ts";
import { createTargets, findSecrets, type Targets } from "./scan.ts";
import { applyMasks } from "./spans.ts";
import { type Scrubbing, type ScrubStream, scrubStream, scrubWhole } from "./stream.ts";

export { holdsMask } from "./mask.ts";
export { knownSecrets } from "./secrets.ts";
export type { ScrubStream } from "./stream.ts";

export interface Scrubber {
  /** The text without secrets, well-formed; scrubbing it again changes nothing. Linear in its length. */
  scrub(text: string): string;
  /** Scrubs a text that arrives in pieces, to the same outcome; words show as soon as they are complete. */
  stream(): ScrubStream;
  /** A copy of JSON-like data with strings and object keys scrubbed. */
  scrubJson(value: unknown): unknown;
}

export interface ScrubberOptions {
  /** Told how many characters each step reads, for measuring. */
  readonly onWork?: (characters: number) => void;
}

/**
 * Builds a scrubber; make it once and keep it. Values of fewer than eight characters are not looked for.
 */
export function createScrubber(
  secrets: ReadonlyMap<string, string>,
  options: ScrubberOptions = {},
): Scrubber {
  const targets = createTargets(secrets, options.onWork ?? (() => {}));
  const scrubbing: Scrubbing = {
    cutter: createCutter(secrets, targets),
    mask: (text) => maskAll(text.toWellFormed(), targets),
    find: (text) => findSecrets(text.toWellFormed(), targets),
  };
  const scrub = (text: string) => scrubWhole(text, scrubbing);
  return {
    scrub,
    stream: () => scrubStream(scrubbing),
    scrubJson: (value) => scrubJson(value, scrub),
  };
}

/** Masks until nothing more is found: what stands beside a mask is a text of its own. */
function maskAll(text: string, targets: Targets): string {
  let masked = text;
  for (;;) {
    const next = splitAtMasks(masked)
      .map((part, index) => (index % 2 === 1 ? part : applyMasks(part, findSecrets(part, targets))))
      .join("");
    if (next === masked) return masked;
    masked = next;
  }
}
