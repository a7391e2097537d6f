/** The job `mail_check`: wakes the agent for new mail, once for each message. */
import { type JobResult, noAction, untrustedJson, untrustedLines, wake } from "../../core/tool.ts";
import { automaticSign } from "../../protocols/smtp/automatic.ts";
import { imapAccess } from "./config.ts";
import { decodeHead, type Head } from "./decode.ts";
import { type Desk, inMailbox, ownAddresses } from "./desk.ts";
import type { MailboxSession, MessageTop } from "./mailbox.ts";
import { type Arrival, firstUnseen, type Memory, newOnes, parseMemory, remembered } from "./new-mail.ts";
import { line, OUTSIDE_NOTE, senderLines } from "./shown.ts";

/** Messages of one tick; those that are left are the next one's. */
const MAX_PER_TICK = 200;
/** Messages that a wake describes; of the others it gives the UIDs. */
const MAX_LISTED = 20;
const MAX_SUBJECT_CHARS = 150;
const MAX_ID_CHARS = 250;

interface Message extends Arrival {
  readonly top: MessageTop;
  readonly head: Head;
}

interface Found {
  /** Null at the first look, which counts everything that is there as seen. */
  readonly fresh: readonly Message[] | null;
  readonly memory: Memory;
  readonly count: number;
}

/**
 * One look. Rejects when the mailbox cannot be read, so that a failed look is never taken for an empty inbox.
 * What was seen is remembered in the state, which is kept only if the tick succeeds.
 */
export async function checkMail(desk: Desk): Promise<JobResult> {
  const key = stateKey(desk);
  const before = parseMemory(await desk.state.get(key));
  const found = await inMailbox(desk, (session) => look(session, before));
  await desk.state.set(key, JSON.stringify(found.memory));
  if (found.fresh === null)
    return noAction(`First look: ${found.count} messages are there and count as seen.`);
  return tell(found.fresh, desk);
}

/** Another account or server is another mailbox, with UIDs of its own. */
function stateKey({ config }: Desk): string {
  const access = imapAccess(config);
  return `mail_check/${access?.username ?? ""}@${access?.host ?? ""}:${access?.port ?? ""}`;
}

async function look(session: MailboxSession, before: Memory | null): Promise<Found> {
  const count = session.count;
  const { uidValidity, uidNext } = session;
  const from = before === null ? 1 : firstUnseen(before, session);
  const uids = count === 0 ? [] : await session.search({ from });
  const last = Math.max(uidNext - 1, from - 1, ...uids.slice(-1));
  const renumbered = before !== null && before.uidValidity !== uidValidity;
  // Old messages under new numbers: only the newest can be new, so only they are looked at.
  const chosen = before === null || renumbered ? uids.slice(-MAX_PER_TICK) : uids.slice(0, MAX_PER_TICK);
  const messages = await Promise.all((await session.tops(chosen)).map(messageOf));
  const lastUid = chosen.at(-1) === uids.at(-1) ? last : (chosen.at(-1) ?? last);
  return {
    count,
    fresh: before === null ? null : newOnes(before, session, messages),
    memory: remembered(before, { uidValidity, uidNext, lastUid }, messages),
  };
}

async function messageOf(top: MessageTop): Promise<Message> {
  const head = await decodeHead(top.header);
  return {
    uid: top.uid,
    receivedAt: top.receivedAt,
    messageId: (head.messageId ?? "").slice(0, MAX_ID_CHARS),
    top,
    head,
  };
}

function tell(fresh: readonly Message[], desk: Desk): JobResult {
  const own = ownAddresses(desk.config);
  const letters = fresh.filter(({ head }) => automaticSign(head, own) === null);
  const automatic = fresh.length - letters.length;
  const summary = `${letters.length} new, ${automatic} automatic.`;
  return letters.length === 0 ? noAction(summary) : wake(wakeMessage(letters, desk), summary);
}

function wakeMessage(letters: readonly Message[], { mask }: Desk): string {
  const lines = letters.slice(0, MAX_LISTED).map(({ uid, head }) =>
    untrustedJson({
      uid,
      from: senderLines(head.from, 1, mask)[0] ?? "",
      subject: line(head.subject, MAX_SUBJECT_CHARS, mask),
    }),
  );
  const others = letters.slice(MAX_LISTED).map(({ uid }) => uid);
  return [
    `New e-mail: ${letters.length === 1 ? "1 message" : `${letters.length} messages`}. Read one with Mail, action read_message and its uid.`,
    OUTSIDE_NOTE,
    untrustedLines(lines),
    ...(others.length === 0 ? [] : [`More, by uid: ${others.join(", ")}.`]),
  ].join("\n");
}
