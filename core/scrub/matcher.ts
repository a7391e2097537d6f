/**
 * Finds many known strings in one pass (Wu and Manber's method): every pattern has at least eight characters,
 * so most places of a text are skipped after looking at two of every seven characters.
 */

export const MIN_SECRET_CHARS = 8;

export interface Pattern {
  readonly text: string;
  readonly name: string;
  /** Length of the secret's value. */
  readonly weight: number;
  /** Lacks the secret's first and last character, which a neighbour in base64 may have spoiled. */
  readonly core: boolean;
}

export interface Matcher {
  /** Reports each occurrence, in order of its start; overlapping ones too. */
  find(text: string, report: (start: number, pattern: Pattern) => void): void;
}

const BUCKETS = 4096;
const MAX_SKIP = MIN_SECRET_CHARS - 1;
const NONE: readonly Pattern[] = [];

/** Work per character is bounded by the patterns, whatever the text. Throws on a pattern that is too short. */
export function createMatcher(patterns: readonly Pattern[]): Matcher {
  const skips = new Uint8Array(BUCKETS).fill(MAX_SKIP);
  const buckets = new Map<number, Pattern[]>();
  for (const pattern of patterns) addPattern(pattern, skips, buckets);
  if (patterns.length === 0) return { find: () => {} };
  return {
    find: (text, report) => {
      let last = MAX_SKIP;
      while (last < text.length) {
        const bucket = bucketOf(text.charCodeAt(last - 1), text.charCodeAt(last));
        const skip = skips[bucket] ?? 0;
        if (skip === 0) {
          const start = last - MAX_SKIP;
          for (const pattern of buckets.get(bucket) ?? NONE) {
            if (text.startsWith(pattern.text, start)) report(start, pattern);
          }
        }
        last += skip || 1;
      }
    },
  };
}

function addPattern(pattern: Pattern, skips: Uint8Array, buckets: Map<number, Pattern[]>): void {
  if (pattern.text.length < MIN_SECRET_CHARS) throw new RangeError("a pattern needs eight characters");
  for (let i = 1; i < MIN_SECRET_CHARS; i++) {
    const bucket = bucketOf(pattern.text.charCodeAt(i - 1), pattern.text.charCodeAt(i));
    skips[bucket] = Math.min(skips[bucket] ?? 0, MAX_SKIP - i);
    if (i === MAX_SKIP) buckets.set(bucket, [...(buckets.get(bucket) ?? []), pattern]);
  }
}

function bucketOf(first: number, second: number): number {
  return ((first << 5) ^ second) & (BUCKETS - 1);
}
