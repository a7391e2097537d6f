import { type Desk, inMailbox, Refusal } from "./desk.ts";

/** Marks a message as read. The answer is the same when it was read before. */
export async function markRead(desk: Desk, uid: number): Promise<string> {
  const found = await inMailbox(
    desk,
    async (session) => {
      const known = session.count > 0 && (await session.search({ from: uid, to: uid })).length > 0;
      if (known) await session.markSeen(uid);
      return known;
    },
    true,
  );
  if (!found) throw new Refusal(`not_found: There is no message ${uid} in the inbox.`);
  return JSON.stringify({ uid, read: true });
}
