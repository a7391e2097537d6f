/** The commands that the driver sends for what the tool does, and those of a connection's life. */
import { Binary, type Document, Long } from "bson";
import { type Account, createLogin, type Login } from "./scram.ts";
import { type Collection, CommandError, createCollection } from "./store.ts";

/** Of one connection. */
export interface Peer {
  readonly id: number;
  login: Login | null;
  known: boolean;
}

export interface Commands {
  /** Throws {@link CommandError}. */
  run(peer: Peer, command: Document): Document;
  collection(database: string, name: string): Collection;
}

type Handler = (command: Document, peer: Peer) => Document;

const FIRST_BATCH = 101;
const BEFORE_LOGIN: readonly string[] = [
  ...["hello", "ismaster", "isMaster", "ping", "buildInfo", "endSessions", "saslStart", "saslContinue"],
];

/** @param account null lets everybody in */
export function createCommands(account: Account | null): Commands {
  const collections = new Map<string, Collection>();
  const cursors = new Map<number, { readonly rest: Document[]; readonly name: string }>();
  const collection = (database: string, name: string) => {
    const key = `${database}.${name}`;
    const found = collections.get(key) ?? createCollection();
    collections.set(key, found);
    return found;
  };
  const handlers = new Map<string, Handler>([
    ...connectionHandlers(account),
    ...dataHandlers((command, name) => collection(String(command.$db), String(command[name])), cursors),
  ]);
  return {
    collection,
    run: (peer, command) => {
      const name = Object.keys(command)[0] ?? "";
      const handler = handlers.get(name);
      if (handler === undefined) throw new CommandError(59, "CommandNotFound", `no such command: '${name}'`);
      if (account !== null && !peer.known && !BEFORE_LOGIN.includes(name)) {
        throw new CommandError(13, "Unauthorized", `Command ${name} requires authentication`);
      }
      return { ...handler(command, peer), ok: 1 };
    },
  };
}

function connectionHandlers(account: Account | null): [string, Handler][] {
  const hello: Handler = (command, peer) => ({
    ...{ helloOk: true, isWritablePrimary: true, ismaster: true, readOnly: false, connectionId: peer.id },
    ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
    ...{ minWireVersion: 0, maxWireVersion: 21, localTime: new Date(), logicalSessionTimeoutMinutes: 30 },
    ...(command.saslSupportedMechs === undefined ? {} : { saslSupportedMechs: ["SCRAM-SHA-256"] }),
  });
  const step = (command: Document, peer: Peer, last: boolean): Document => {
    const text: string = command.payload.toString("utf8");
    if (!last && account !== null) peer.login = createLogin(account);
    const answer = (last ? peer.login?.final(text) : peer.login?.first(text)) ?? null;
    if (answer === null) throw new CommandError(18, "AuthenticationFailed", "Authentication failed.");
    if (last) peer.known = true;
    return { conversationId: 1, done: last, payload: new Binary(Buffer.from(answer)) };
  };
  return [
    ...["hello", "ismaster", "isMaster"].map((name): [string, Handler] => [name, hello]),
    ...["ping", "endSessions"].map((name): [string, Handler] => [name, () => ({})]),
    ["buildInfo", () => ({ version: "7.0.0", versionArray: [7, 0, 0, 0] })],
    ["saslStart", (command, peer) => step(command, peer, false)],
    ["saslContinue", (command, peer) => step(command, peer, true)],
  ];
}

type Cursors = Map<number, { readonly rest: Document[]; readonly name: string }>;
type Find = (command: Document, name: string) => Collection;

function dataHandlers(of: Find, cursors: Cursors): [string, Handler][] {
  let lastCursor = 0;
  const firstPage = (documents: Document[], name: string, size: unknown) => {
    const count = Number(size ?? FIRST_BATCH);
    const rest = documents.slice(count);
    if (rest.length > 0) cursors.set(++lastCursor, { rest, name });
    const id = Long.fromNumber(rest.length > 0 ? lastCursor : 0);
    return { cursor: { firstBatch: documents.slice(0, count), id, ns: name } };
  };
  return [
    [
      "find",
      (command) => {
        const { filter = {}, projection = {}, sort = {}, skip = 0, limit = 0 } = command;
        const documents = of(command, "find").find({ filter, projection, sort, skip, limit });
        return firstPage(documents, `${command.$db}.${command.find}`, command.batchSize);
      },
    ],
    [
      "aggregate",
      (command) => {
        const documents = of(command, "aggregate").aggregate(command.pipeline);
        return firstPage(documents, `${command.$db}.${command.aggregate}`, command.cursor?.batchSize);
      },
    ],
    [
      "getMore",
      (command) => {
        const cursor = cursors.get(Number(command.getMore));
        if (cursor === undefined) throw new CommandError(43, "CursorNotFound", "cursor not found");
        const nextBatch = cursor.rest.splice(0, Number(command.batchSize ?? 1_000));
        const id = Long.fromNumber(cursor.rest.length > 0 ? Number(command.getMore) : 0);
        if (cursor.rest.length === 0) cursors.delete(Number(command.getMore));
        return { cursor: { nextBatch, id, ns: cursor.name } };
      },
    ],
    [
      "killCursors",
      (command) => {
        for (const id of command.cursors) cursors.delete(Number(id));
        return { cursorsKilled: command.cursors };
      },
    ],
    ["insert", (command) => insert(of(command, "insert"), command)],
    ["update", (command) => update(of(command, "update"), command)],
  ];
}

function insert(collection: Collection, { documents }: Document): Document {
  return inOrder(documents, (document: Document) => {
    collection.insert(document);
    return { n: 1 };
  });
}

function update(collection: Collection, { updates }: Document): Document {
  const upserted: Document[] = [];
  const answer = inOrder(updates, ({ q, u, upsert }: Document, index) => {
    const done = collection.update({ filter: q, update: u, upsert: upsert === true });
    if (done.upserted !== undefined) upserted.push({ index, _id: done.upserted });
    return { n: done.matched + (done.upserted === undefined ? 0 : 1), modified: done.modified };
  });
  return { ...answer, ...(upserted.length > 0 ? { upserted } : {}) };
}

/** As an ordered write: the first one that is refused ends it, and the answer says which. */
function inOrder(
  items: Document[],
  work: (item: Document, index: number) => { readonly n: number; readonly modified?: number },
): Document {
  const sum = { n: 0, nModified: 0 };
  for (const [index, item] of items.entries()) {
    try {
      const { n, modified = 0 } = work(item, index);
      sum.n += n;
      sum.nModified += modified;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return { ...sum, writeErrors: [{ index, code: error.code, errmsg: error.message }] };
    }
  }
  return sum;
}
