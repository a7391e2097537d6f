/** The framing of MongoDB's wire protocol: OP_MSG, and OP_QUERY for a driver's first hello. */
import { type Document, deserialize, serialize } from "bson";

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;
const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;

export interface Request {
  readonly id: number;
  readonly command: Document;
  /** The sender wants no answer. */
  readonly silent: boolean;
  /** Whether the answer is an OP_REPLY. */
  readonly old: boolean;
}

/** Cuts a stream into messages. */
export function createSplitter(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let waiting = Buffer.alloc(0);
  return (chunk) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= 4 && waiting.length >= waiting.readInt32LE(0)) {
      const size = waiting.readInt32LE(0);
      onMessage(waiting.subarray(0, size));
      waiting = waiting.subarray(size);
    }
  };
}

/** Null for a message of another kind. */
export function readRequest(message: Buffer): Request | null {
  const id = message.readInt32LE(4);
  const kind = message.readInt32LE(12);
  if (kind === OP_QUERY) {
    const endOfName = message.indexOf(0, HEADER + 4);
    const command = deserialize(message.subarray(endOfName + 9), { promoteBuffers: false });
    return { id, command: { ...command, $db: command.$db ?? "admin" }, silent: false, old: true };
  }
  if (kind !== OP_MSG) return null;
  const flags = message.readUInt32LE(HEADER);
  const end = message.length - ((flags & CHECKSUM_PRESENT) === 0 ? 0 : 4);
  const command = readSections(message.subarray(HEADER + 4, end));
  return { id, command, silent: (flags & MORE_TO_COME) !== 0, old: false };
}

/** A body, and lists of documents that belong into it under a name. */
function readSections(bytes: Buffer): Document {
  const command: Document = {};
  for (let at = 0; at < bytes.length; ) {
    const kind = bytes.readUInt8(at);
    const size = bytes.readInt32LE(at + 1);
    const section = bytes.subarray(at + 1, at + 1 + size);
    if (kind === 0) Object.assign(command, deserialize(section));
    else {
      const endOfName = section.indexOf(0, 4);
      command[section.toString("utf8", 4, endOfName)] = readDocuments(section.subarray(endOfName + 1));
    }
    at += 1 + size;
  }
  return command;
}

function readDocuments(bytes: Buffer): Document[] {
  const documents: Document[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) {
    documents.push(deserialize(bytes.subarray(at, at + bytes.readInt32LE(at))));
  }
  return documents;
}

export function writeReply({ id, old }: Request, answer: Document): Buffer {
  const body = serialize(answer, { ignoreUndefined: true });
  const start = Buffer.alloc(old ? HEADER + 20 : HEADER + 5);
  start.writeInt32LE(start.length + body.length, 0);
  start.writeInt32LE(id, 8);
  start.writeInt32LE(old ? OP_REPLY : OP_MSG, 12);
  // The number of documents, after flags, cursor and position.
  if (old) start.writeInt32LE(1, HEADER + 16);
  return Buffer.concat([start, body]);
}
