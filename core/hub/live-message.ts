import type { LiveMessage } from "../events.ts";
import { cutPosition } from "../journal/long-text.ts";
import { LIST_TEXT_CHARS } from "../limits.ts";
import type { MessageRow } from "../record/rows.ts";

/** A message as lists show it: long texts are cut. */
export function liveMessage(row: MessageRow): LiveMessage {
  const truncated = row.content.length > LIST_TEXT_CHARS;
  return { ...row, content: row.content.slice(0, cutPosition(row.content, LIST_TEXT_CHARS)), truncated };
}
