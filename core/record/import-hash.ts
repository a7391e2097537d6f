/** Names for what an older database calls by texts that may not be kept. */
import { sha256Hex } from "../sha256.ts";

const DIGITS = 40;

/** 40 hex digits, the same for the same text. */
export async function hashOf(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, DIGITS);
}
