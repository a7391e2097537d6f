/** How a notice reads in a channel. What agents say to each other never goes there, not even quoted. */
import type { ChannelMessage } from "./channel.ts";

interface ToldNotice {
  readonly kind: string;
  readonly text: string;
  readonly rootRunId: string | null;
}

/** Kinds whose text quotes an agent's words, with what is said instead. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["approval", "An agent asks for leave to make a call. The viewer shows which, and takes the decision."],
  [
    "task_unheard",
    "An agent that is not in service any more could not be told of a task. The notice says what.",
  ],
]);

/** One message in any channel, so that a second attempt repeats nothing. Notices are stored masked. */
const NOTICE_CHARS = 3_000;

export function noticeMessage(instanceId: string, notice: ToldNotice): ChannelMessage {
  const chain = notice.rootRunId === null ? "" : `\nChain: ${notice.rootRunId}`;
  return {
    title: `${instanceId}: ${notice.kind.replaceAll("_", " ")}`,
    text: `${shortened(INSTEAD.get(notice.kind) ?? notice.text)}${chain}`,
  };
}

function shortened(text: string): string {
  return text.length > NOTICE_CHARS ? `${text.slice(0, NOTICE_CHARS).toWellFormed()} [cut]` : text;
}
