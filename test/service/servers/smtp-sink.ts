/** A mail server that takes everything, in the test's own process so that it sees every session. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Certificates } from "./certificates.ts";
import { portOf } from "./free-port.ts";

export interface SinkMail {
  readonly from: string;
  /** Envelope recipients. */
  readonly to: readonly string[];
  readonly raw: string;
  readonly encrypted: boolean;
  readonly user: string | null;
}

export interface SmtpSink {
  /** Neither encryption nor passwords. */
  readonly plainPort: number;
  /** STARTTLS and a password are needed. */
  readonly starttlsPort: number;
  /** TLS from the first byte, and a password. */
  readonly tlsPort: number;
  readonly username: string;
  readonly password: string;
  readonly mails: readonly SinkMail[];
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const LOGIN = { username: "bot@example.test", password: "smtp'pa55word" } as const;
export const SINK_SIZE_LIMIT = 200_000;

export interface SinkOptions {
  readonly deliver?: (mail: SinkMail) => void;
  /** Accepted for every name when it is given. */
  readonly password?: string;
}

/**
 * Starts it. Recipients tell it what to do: `refuse@` is refused, a mail to `drop@` loses its connection in the
 * middle of the data, one to `silent@` is taken and never answered, one to `full@` is refused after its data.
 */
export async function startSmtpSink(
  { cert, key }: Certificates,
  { deliver = () => {}, password = LOGIN.password }: SinkOptions = {},
): Promise<SmtpSink> {
  const mails: SinkMail[] = [];
  const sockets = openSockets();
  const behaviour = behaviourOf(
    (mail) => {
      mails.push(mail);
      deliver(mail);
    },
    { sockets, password },
  );
  const start = async (options: SMTPServerOptions) => {
    const server = new SMTPServer({
      key: readFileSync(key),
      cert: readFileSync(cert),
      logger: false,
      size: SINK_SIZE_LIMIT,
      authMethods: ["PLAIN", "LOGIN"],
      ...behaviour,
      ...options,
    });
    server.on("error", () => {});
    server.server.on("connection", sockets.add);
    server.listen(0, "127.0.0.1");
    await once(server.server, "listening");
    return {
      port: portOf(server.server),
      close: () => new Promise<void>((done) => server.close(() => done())),
    };
  };
  const plain = await start({ authOptional: true, disabledCommands: ["STARTTLS"] });
  const starttls = await start({ authOptional: false });
  const tls = await start({ authOptional: false, secure: true });
  return {
    username: LOGIN.username,
    password,
    plainPort: plain.port,
    starttlsPort: starttls.port,
    tlsPort: tls.port,
    mails,
    idle: sockets.idle,
    stop: async () => {
      sockets.destroy();
      await Promise.all([plain.close(), starttls.close(), tls.close()]);
    },
  };
}

type Sockets = ReturnType<typeof openSockets>;

function openSockets() {
  const open = new Set<Socket>();
  return {
    add: (socket: Socket) => {
      open.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => open.delete(socket));
    },
    idle: async () => {
      for (const socket of open) if (!socket.closed) await once(socket, "close");
    },
    destroy: () => {
      for (const socket of open) socket.destroy();
    },
    ofPort: (remotePort: number) => [...open].find((socket) => socket.remotePort === remotePort),
  };
}

interface Surroundings {
  readonly sockets: Sockets;
  readonly password: string;
}

function behaviourOf(
  take: (mail: SinkMail) => void,
  { sockets, password: right }: Surroundings,
): SMTPServerOptions {
  return {
    onAuth: ({ username, password }, _session, done) => {
      const known = username === LOGIN.username || right !== LOGIN.password;
      if (known && username !== undefined && password === right) return done(null, { user: username });
      return done(new Error("Invalid username or password"));
    },
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith("refuse@") ? answer(550, "No such user here") : null),
    onData: (stream, session, done) => {
      const { envelope, secure, user, remotePort } = session;
      const to = envelope.rcptTo.map(({ address }) => address);
      const is = (name: string) => to.some((address) => address.startsWith(`${name}@`));
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (is("drop")) sockets.ofPort(remotePort)?.destroy();
      });
      stream.on("end", () => {
        if (is("silent") || is("drop")) return;
        if (is("full")) return done(answer(452, "Mailbox full"));
        if (stream.sizeExceeded) return done(answer(552, "Message too large"));
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        take({
          from,
          to,
          raw: Buffer.concat(chunks).toString("utf8"),
          encrypted: secure,
          user: user ?? null,
        });
        done(null);
      });
    },
  };
}

function answer(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
