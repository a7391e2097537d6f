/** The mail that an answer becomes. */
import type { OpenEmail } from "../config/email.ts";
import { agentIdOf, type World } from "../engine/world.ts";
import { ERASED } from "../erase/needle.ts";
import { chainStamp } from "./chain-stamp.ts";
import { type Letter, type Reply, sentIds } from "./replies.ts";
import { replyAddress } from "./reply-address.ts";
import type { ReplyMail } from "./transport.ts";

const MAX_REFERENCES = 20;

/** Whether what it is to be sent by has been erased since. */
export function isErased({ to, address }: Letter): boolean {
  return to.includes(ERASED) || address.includes(ERASED);
}

/** Rejects when it cannot be written. */
export async function composeReply(
  world: World,
  email: OpenEmail,
  { reply: { runId, threadId, letter }, text }: { readonly reply: Reply; readonly text: string },
): Promise<ReplyMail> {
  const { address, to, subject, inReplyTo } = letter;
  const agentId = agentIdOf(world);
  const answersTo = await replyAddress(email.signingKey, { agentId, address, threadId });
  const from = email.from ?? answersTo;
  const stamped = await chainStamp(world, { runId, id: `reply:${runId}`, from, to, reply: true });
  return {
    from: { name: world.scrubber.scrub(world.documents()?.agent.name ?? agentId), address: from },
    answersTo: email.from === undefined ? null : answersTo,
    to,
    subject,
    text: world.scrubber.scrub(text),
    inReplyTo,
    references: referencesOf(world, threadId, letter),
    headers: stamped.ok && stamped.header !== null ? [stamped.header] : [],
  };
}

/** Those that came with the mail, and ours where the sender's program has left them out. */
function referencesOf({ db }: World, threadId: string, { references }: Letter): string[] {
  const ours = sentIds(db, threadId).filter((id) => !references.includes(id));
  const all = references.length > 1 ? references : [...ours, ...references];
  return all.slice(-MAX_REFERENCES);
}
