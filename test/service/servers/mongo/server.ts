/** A MongoDB server for tests: the real wire protocol, login and TLS over collections in memory. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Document } from "bson";
import type { Certificates } from "../certificates.ts";
import { portOf } from "../free-port.ts";
import { type Commands, createCommands, type Peer } from "./commands.ts";
import { createSplitter, type Request, readRequest, writeReply } from "./frames.ts";
import type { Account } from "./scram.ts";
import { type Collection, CommandError } from "./store.ts";

export interface MongoOptions {
  /** Everybody may come in without. */
  readonly account?: Account;
  readonly tls?: Certificates;
}

export interface MongoServer {
  readonly port: number;
  /** The documents of a collection, to prepare and to look at. */
  collection(database: string, name: string): Collection;
  /** Connections that are open at this moment. */
  connections(): number;
  /** Resolves once no connection is open. */
  quiet(): Promise<void>;
  /** What becomes of a command from now on: answered, answered never (but at its maxTimeMS), or the connection is cut. */
  treat(command: string, how: "answer" | "hold" | "cut"): void;
  /** Resolves when such a command comes next. */
  received(command: string): Promise<void>;
  close(): Promise<void>;
}

export async function startMongoServer({ account, tls }: MongoOptions = {}): Promise<MongoServer> {
  const commands = createCommands(account ?? null);
  const sockets = new Set<Socket>();
  const treatments = new Map<string, "answer" | "hold" | "cut">();
  const waiting: { readonly command: string; readonly settle: () => void }[] = [];
  let idle: (() => void)[] = [];
  const serve = (socket: Socket) => {
    const peer: Peer = { id: sockets.size + 1, login: null, known: false };
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size > 0) return;
      for (const settle of idle) settle();
      idle = [];
    });
    const onMessage = (message: Buffer) => {
      const request = readRequest(message);
      if (request === null) {
        socket.destroy();
        return;
      }
      const name = Object.keys(request.command)[0] ?? "";
      for (const one of waiting.filter(({ command }) => command === name)) one.settle();
      respond(socket, { commands, peer, request, treatment: treatments.get(name) ?? "answer" });
    };
    socket.on("data", createSplitter(onMessage));
  };
  const server =
    tls === undefined
      ? createServer(serve)
      : createTlsServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key) }, serve);
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: portOf(server),
    collection: commands.collection,
    connections: () => sockets.size,
    quiet: () =>
      new Promise((settle) => {
        if (sockets.size === 0) settle();
        else idle.push(settle);
      }),
    treat: (command, how) => void treatments.set(command, how),
    received: (command) => new Promise((settle) => waiting.push({ command, settle })),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

interface Exchange {
  readonly commands: Commands;
  readonly peer: Peer;
  readonly request: Request;
  readonly treatment: "answer" | "hold" | "cut";
}

function respond(socket: Socket, { commands, peer, request, treatment }: Exchange) {
  if (treatment === "cut") {
    socket.destroy();
    return;
  }
  const send = (answer: Document) => {
    if (!request.silent && !socket.destroyed) socket.write(writeReply(request, answer));
  };
  if (treatment === "hold") {
    const { maxTimeMS } = request.command;
    const tooLong = {
      ok: 0,
      code: 50,
      codeName: "MaxTimeMSExpired",
      errmsg: "operation exceeded time limit",
    };
    if (typeof maxTimeMS === "number") setTimeout(() => send(tooLong), maxTimeMS).unref();
    return;
  }
  send(answerOf(commands, peer, request.command));
}

function answerOf(commands: Commands, peer: Peer, command: Document): Document {
  try {
    return commands.run(peer, command);
  } catch (error) {
    if (error instanceof CommandError) {
      return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName };
    }
    return { ok: 0, errmsg: String(error), code: 2, codeName: "BadValue" };
  }
}
