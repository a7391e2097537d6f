import type { FreshReadingWorld } from "../../core/access/fresh-reading.ts";

export const readingWorld: FreshReadingWorld = {
  now: Date.now,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
