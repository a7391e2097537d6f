/**
 * The address that answers to our mail go to: `agent+<thread><signature>@domain`. So an answer finds its agent and
 * its thread by what only we can have written, whatever its headers say.
 */
import { isSame, signature } from "./signature.ts";

const THREAD_CHARS = 12;
const SIGNATURE_CHARS = 16;

export interface ThreadPlace {
  readonly agentId: string;
  /** The agent's address, without a mark. */
  readonly address: string;
  readonly threadId: string;
}

export interface ThreadStart {
  readonly agentId: string;
  /** The sender's: who knows the ids of others' mail is in none of their threads. */
  readonly domain: string;
  /** The Message-ID that it began with. */
  readonly root: string;
}

/** Names a thread of an agent with people of one domain. */
export function threadIdOf(key: string, { agentId, domain, root }: ThreadStart): Promise<string> {
  return signature(key, { purpose: "thread", parts: [agentId, domain, root], chars: THREAD_CHARS });
}

export async function replyAddress(key: string, place: ThreadPlace): Promise<string> {
  const at = place.address.lastIndexOf("@");
  const mark = place.threadId + (await proof(key, place));
  return `${place.address.slice(0, at)}+${mark}${place.address.slice(at)}`;
}

/** The thread that a mark names; null when we did not make it for this agent and address. */
export async function threadOfMark(
  key: string,
  { agentId, address, mark }: { agentId: string; address: string; mark: string },
): Promise<string | null> {
  const threadId = mark.slice(0, THREAD_CHARS);
  const known = await proof(key, { agentId, address, threadId });
  return isSame(mark.slice(THREAD_CHARS), known) ? threadId : null;
}

function proof(key: string, { agentId, address, threadId }: ThreadPlace): Promise<string> {
  return signature(key, { purpose: "reply", parts: [agentId, address, threadId], chars: SIGNATURE_CHARS });
}
