/** One message with its whole text. */
import { type MessageView, type SelectedMessage, WHOLE_MESSAGE } from "./message-view.ts";
import type { Reader } from "./reader.ts";

const ID = /^\d{1,16}$/;

/**
 * The message with this id or uid, or null. `truncated` only when its text in R2 is gone, as it is for a
 * moment while retention deletes the message. Rejects when D1 or R2 does.
 */
export async function getMessage(
  reader: Reader,
  texts: R2Bucket,
  idOrUid: string,
): Promise<MessageView | null> {
  const row = ID.test(idOrUid)
    ? await reader.first<SelectedMessage>(messageBy("Id"), Number(idOrUid))
    : await reader.first<SelectedMessage>(messageBy("Uid"), idOrUid);
  if (row === null) return null;
  const { contentRef, ...message } = row;
  if (contentRef === null) return { ...message, truncated: false };
  const whole = await texts.get(contentRef);
  if (whole === null) return { ...message, truncated: true };
  return { ...message, content: await whole.text(), truncated: false };
}

function messageBy(column: "Id" | "Uid"): string {
  return `SELECT ${WHOLE_MESSAGE} FROM "AgentMessages" m WHERE m."${column}" = ?`;
}
