import { HUMAN } from "../core/board/vocabulary.ts";
import { newRunId } from "../core/ids.ts";
import { randomLetters } from "../durable-objects/random-letters.ts";

/** What a person does has an id that serves as run and root, and no receipt. It sorts by time among the runs it causes. */
export function personActId(): string {
  return newRunId({ now: Date.now, random: randomLetters }, HUMAN);
}
