/** Hands a message to an SMTP server. */
import { Readable } from "node:stream";
import type SmtpConnection from "nodemailer/lib/smtp-connection";
import type { SMTPConnectionSendInfo } from "nodemailer/lib/smtp-connection";
import { bounded } from "./bounded.ts";
import type { ComposedMail } from "./compose.ts";
import { failureOf } from "./failure.ts";
import { type RejectedRecipient, replyText, type SendOutcome } from "./outcome.ts";
import { openSocket } from "./socket.ts";

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte; `starttls`: must be offered; `none`: in clear text, the password too. */
  readonly security: "tls" | "starttls" | "none";
  /** Missing for a server that asks for none. */
  readonly auth?: { readonly username: string; readonly password: string };
}

/** Milliseconds. */
export interface SmtpLimits {
  /** Until the connection stands. */
  readonly connect: number;
  /** Until the server greets. */
  readonly greeting: number;
  /** Without a sign of the server. */
  readonly silence: number;
  /** For the whole. */
  readonly total: number;
}

const LIMITS: SmtpLimits = { connect: 10_000, greeting: 10_000, silence: 15_000, total: 50_000 };
/** Milliseconds for the server's answer to our good-bye: the mail is out, nobody waits long for manners. */
const FAREWELL_MS = 1_000;

/** How far an attempt has come. */
interface Attempt {
  readonly server: SmtpServer;
  readonly mail: ComposedMail;
  readonly limits: SmtpLimits;
  /** Null while there is none. */
  connection: SmtpConnection | null;
  /** Whether all bytes of the message have gone to the socket. */
  handedOver: boolean;
}

/**
 * Sends once, never again by itself. Certificates are checked against the host's name. Rejects with the signal's
 * reason when that aborts; everything else is an outcome. The connection is closed when this settles.
 */
export async function sendOverSmtp(
  server: SmtpServer,
  mail: ComposedMail,
  { signal, limits = LIMITS }: { readonly signal: AbortSignal; readonly limits?: SmtpLimits },
): Promise<SendOutcome> {
  const attempt: Attempt = { server, mail, limits, connection: null, handedOver: false };
  try {
    return await bounded({ signal, totalMs: limits.total }, (onEnd) => converse(attempt, onEnd));
  } catch (error) {
    signal.throwIfAborted();
    return failureOf(error, {
      server,
      connected: attempt.connection !== null,
      upgrading: attempt.connection?.upgrading === true,
      handedOver: attempt.handedOver,
    });
  }
}

type OnEnd = (cleanUp: () => void) => void;

async function converse(attempt: Attempt, onEnd: OnEnd): Promise<SendOutcome> {
  const connection = await openConnection(attempt, onEnd);
  const { server, mail } = attempt;
  const step = stepsOf(connection);
  await step<void>((done) => connection.connect(done));
  const { auth } = server;
  if (auth !== undefined) {
    await step<boolean>((done) => connection.login({ user: auth.username, pass: auth.password }, done));
  }
  const body = Readable.from([Buffer.from(mail.raw)]);
  body.on("end", () => {
    attempt.handedOver = true;
  });
  const envelope = { from: mail.from, to: [...mail.recipients], size: mail.raw.length };
  const info = await step<SMTPConnectionSendInfo>((done) => connection.send(envelope, body, done));
  await sayGoodbye(connection);
  const rejected = (info?.rejectedErrors ?? []).map(rejectionOf);
  return { ok: true, messageId: mail.messageId, accepted: info?.accepted ?? [], rejected };
}

async function openConnection(attempt: Attempt, onEnd: OnEnd): Promise<SmtpConnection> {
  // Loaded when it is needed: the Worker's start would pay for it in every isolate, also those that send nothing.
  const { default: Connection } = await import("nodemailer/lib/smtp-connection");
  const { server, limits } = attempt;
  const encrypted = server.security === "tls";
  const socket = await openSocket(server, { encrypted, limit: limits.connect, onEnd });
  const connection = new Connection({
    host: server.host,
    port: server.port,
    connection: socket,
    secure: encrypted,
    secured: encrypted,
    requireTLS: server.security === "starttls",
    ignoreTLS: server.security === "none",
    name: attempt.mail.from.slice(attempt.mail.from.lastIndexOf("@") + 1),
    connectionTimeout: limits.connect,
    greetingTimeout: limits.greeting,
    socketTimeout: limits.silence,
    socketCloseTimeout: 0,
  });
  attempt.connection = connection;
  onEnd(() => connection.close());
  return connection;
}

type Done<T> = (error?: Error | null, value?: T) => void;

/** Turns the library's callbacks into promises that also reject when the connection breaks meanwhile. */
function stepsOf(connection: SmtpConnection) {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => {});
  connection.on("error", reject);
  return <T>(start: (done: Done<T>) => void): Promise<T | undefined> => {
    const { promise, resolve, reject: fail } = Promise.withResolvers<T | undefined>();
    start((error, value) => (error ? fail(error) : resolve(value)));
    return Promise.race([broken, promise]);
  };
}

interface RecipientError {
  readonly recipient?: string | undefined;
  readonly response?: string | undefined;
}

function rejectionOf({ recipient = "", response = "" }: RecipientError): RejectedRecipient {
  return { address: recipient, reason: replyText(response) };
}

function sayGoodbye(connection: SmtpConnection): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, FAREWELL_MS);
    connection.once("end", () => {
      clearTimeout(timer);
      resolve();
    });
    connection.quit();
  });
}
