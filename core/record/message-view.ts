/** Messages as the API shows them. */
import { LIST_TEXT_CHARS } from "../limits.ts";
import { selectList } from "./columns.ts";
import type { MessageRow } from "./rows.ts";
import { agentMessages } from "./schema.ts";
import { cutToUnits } from "./stored-text.ts";

/** A message with its id; `truncated` says that `content` is only the beginning. */
export type MessageView = MessageRow & { readonly id: number; readonly truncated: boolean };

/** What a statement with one of the lists below answers. */
export type SelectedMessage = MessageRow & { readonly id: number; readonly contentRef: string | null };

/** Columns of `m` with the text whole as far as it is in the row. */
export const WHOLE_MESSAGE = selectList(agentMessages, "m");
/** Columns of `m` with at most one character more than a list shows. */
export const LISTED_MESSAGE = selectList(agentMessages, "m", {
  content: `substr(m."Content", 1, ${LIST_TEXT_CHARS + 1})`,
});

/** A message in a list: long texts cut. */
export function listedMessage(row: SelectedMessage): MessageView {
  const { contentRef, ...message } = row;
  const content = cutToUnits(message.content, LIST_TEXT_CHARS);
  return { ...message, content, truncated: contentRef !== null || content.length < message.content.length };
}
