import { headerLine, isMessageId, withoutControls } from "./header-text.ts";

/** Headers as they stand; the id null when missing. */
export interface ThreadMarks {
  readonly messageId: string | null;
  readonly references: string;
  readonly inReplyTo: string;
}

export interface Thread {
  readonly inReplyTo: string;
  /** Oldest first, the answered message last. */
  readonly references: readonly string[];
  /** The same for all messages of a thread as long as its first id is passed on. */
  readonly root: string;
}

/** Ids kept of a long thread: the first and the last ones, as headers have an end. */
const MAX_REFERENCES = 20;

/** The headers of an answer (RFC 5322, 3.6.4); null when the original has no usable Message-ID. */
export function threadOf(original: ThreadMarks): Thread | null {
  const id = original.messageId?.trim() ?? "";
  if (!isMessageId(id)) return null;
  const known = idsOf(original.references);
  const before = known.length > 0 ? known : idsOf(original.inReplyTo).slice(0, 1);
  const chain = [...new Set([...before.filter((each) => each !== id), id])];
  const references =
    chain.length > MAX_REFERENCES ? [...chain.slice(0, 1), ...chain.slice(1 - MAX_REFERENCES)] : chain;
  return { inReplyTo: id, references, root: chain[0] ?? id };
}

function idsOf(text: string): string[] {
  return (text.match(/<[^<>\s]+>/g) ?? []).filter(isMessageId);
}

const MAX_SUBJECT_CHARS = 200;

/** "Re: " once, however often it stands there already, before what may stand in our headers of the original's. */
export function replySubject(subject: string): string {
  const bare = withoutControls(subject).replace(/^(\s*re\s*:)+/i, "");
  return `Re: ${headerLine(bare, MAX_SUBJECT_CHARS)}`.trim();
}
