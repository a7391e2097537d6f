/** Takes the secrets that this machine knows out of what is shown. */
import { createScrubber, knownSecrets } from "../../core/scrub/index.ts";

/** @param secrets answers `{NAME: value}` as of now: a token may be made on the way */
export function createMask(secrets) {
  return (text) => createScrubber(knownSecrets(secrets(), [])).scrub(text);
}
