/**
 * The scrubber (L5): nothing is written, sent to a model or handed to another agent before it went through
 * here. Known secrets become `[secret:NAME]`, other credentials `[secret]`.
 */
import { createCutter } from "./cuts.ts";
import { scrubJson } from "./json.ts";
import { MASK_START, maskFor, splitAtMasks } from "./mask.ts";
import { MIN_SECRET_CHARS } from "./matcher.ts";
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
  const straddlers = straddlersOf(secrets);
  const scrubbing: Scrubbing = {
    cutter: createCutter(secrets, targets),
    mask: (text) => maskAll(text.toWellFormed(), targets, straddlers),
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
function maskAll(text: string, targets: Targets, straddlers: readonly Straddler[]): string {
  let masked = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const whole = masked.includes(MASK_START) ? maskStraddlers(masked, straddlers) : masked;
    const next = splitAtMasks(whole)
      .map((part, index) => (index % 2 === 1 ? part : applyMasks(part, findSecrets(part, targets))))
      .join("");
    if (next === masked) return masked;
    masked = next;
  }
  return masked;
}

/** Each round takes something away; a secret that is itself made of masks must not keep it going for ever. */
const MAX_ROUNDS = 50;

interface Straddler {
  readonly pattern: RegExp;
  readonly mask: string;
}

function maskStraddlers(text: string, straddlers: readonly Straddler[]): string {
  return straddlers.reduce(
    (part, { pattern, mask }) =>
      part.replace(pattern, (_, before: string, after: string) => before + mask + after),
    text,
  );
}

const MASK_HEAD = "\\[secret(?::[\\w.-]{1,128})?";

/**
 * A value that begins with `]` or ends like the beginning of a mask can make a mask together with what
 * stands beside it, and be torn apart where the text is taken apart at its masks. Such places are masked first.
 */
function straddlersOf(secrets: ReadonlyMap<string, string>): Straddler[] {
  const usable = [...secrets].filter(
    ([name, value]) => value.length >= MIN_SECRET_CHARS && !maskFor(name).includes(value),
  );
  return usable.flatMap(([name, value]) => {
    const literal = value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
    const end = MASK_ENDS.find((part) => value.endsWith(part));
    const after = end === undefined ? null : `${MASK_START.slice(end.length)}(?::[\\w.-]{1,128})?\\]`;
    return [
      ...(value.startsWith("]")
        ? [{ pattern: new RegExp(`(${MASK_HEAD})${literal}()`, "g"), mask: maskFor(name) }]
        : []),
      ...(after === null
        ? []
        : [{ pattern: new RegExp(`()${literal}(${after})`, "g"), mask: maskFor(name) }]),
    ];
  });
}

/** `[`, `[s`, `[se`, ..., the longest first. */
const MASK_ENDS = Array.from(MASK_START, (_, index) => MASK_START.slice(0, MASK_START.length - index));
