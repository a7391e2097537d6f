/** Which messages are new since the last look: pure, over what is remembered between two looks. */
import { z } from "zod";

/** What is remembered of a mailbox. */
const memorySchema = z.object({
  uidValidity: z.string(),
  /** Every message up to this UID was seen. */
  lastUid: z.number(),
  /** When the newest message seen was received, in milliseconds: for the day that UIDs are given out anew. */
  newestAt: z.number(),
  /** Message-IDs of the messages received in that very second. */
  newestIds: z.array(z.string()),
});

export type Memory = z.infer<typeof memorySchema>;

/** Ids that are kept; more messages than that in one second are a mailbox that was filled from elsewhere. */
const MAX_IDS = 200;

/** What one look finds. */
export interface Look {
  readonly uidValidity: string;
  readonly uidNext: number;
}

/** A message as the policy sees it. */
export interface Arrival {
  readonly uid: number;
  readonly receivedAt: number;
  /** Empty when it has none. */
  readonly messageId: string;
}

/** Null when nothing, or nothing readable, was stored. */
export function parseMemory(stored: string | null): Memory | null {
  if (stored === null) return null;
  try {
    const parsed = memorySchema.safeParse(JSON.parse(stored));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** From which UID on to look; the newest ones when UIDs have been given out anew. */
export function firstUnseen(memory: Memory, look: Look): number {
  return memory.uidValidity === look.uidValidity ? memory.lastUid + 1 : 1;
}

/**
 * The new ones of `arrivals`. Within one numbering that is all of them; in another numbering only what was
 * received after the newest message that was seen, or in its second under another id.
 */
export function newOnes<T extends Arrival>(memory: Memory, look: Look, arrivals: readonly T[]): T[] {
  if (memory.uidValidity === look.uidValidity) return arrivals.filter(({ uid }) => uid > memory.lastUid);
  return arrivals.filter(
    ({ receivedAt, messageId }) =>
      receivedAt > memory.newestAt ||
      (receivedAt === memory.newestAt && !memory.newestIds.includes(messageId)),
  );
}

/**
 * What to remember after `handled` were dealt with.
 * @param before null at the first look
 * @param lastUid up to which messages were dealt with
 */
export function remembered(
  before: Memory | null,
  look: Look & { readonly lastUid: number },
  handled: readonly Arrival[],
): Memory {
  const newestAt = Math.max(before?.newestAt ?? 0, ...handled.map(({ receivedAt }) => receivedAt));
  const ids = handled.filter(({ receivedAt }) => receivedAt === newestAt).map(({ messageId }) => messageId);
  const known = before?.newestAt === newestAt ? before.newestIds : [];
  return {
    uidValidity: look.uidValidity,
    lastUid: look.lastUid,
    newestAt,
    newestIds: [...new Set([...known, ...ids])].slice(-MAX_IDS),
  };
}
