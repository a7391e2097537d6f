/** Which ceiling froze a chain, read off the sentence that the chain's object keeps of it. */
export interface LimitReached {
  readonly kind: "runs" | "depth" | "tokens" | "cost";
  readonly limit: number;
}

const SENTENCES: readonly (readonly [LimitReached["kind"], RegExp])[] = [
  ["depth", /^the chain may be (\d+) runs deep$/],
  ["runs", /^the chain may have (\d+) runs$/],
  ["tokens", /^the chain may use (\d+) tokens$/],
  ["cost", /^the chain may cost ([\d.e-]+) US dollars$/],
];

/** Null for any other sentence: it is shown as it is then. */
export function limitReached(sentence: string): LimitReached | null {
  for (const [kind, pattern] of SENTENCES) {
    const limit = Number(pattern.exec(sentence)?.[1] ?? Number.NaN);
    if (!Number.isNaN(limit)) return { kind, limit };
  }
  return null;
}
