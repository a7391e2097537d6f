import { z } from "zod";
import { Refusal, type RefusalCode } from "./refusal.ts";

export interface Place {
  readonly host: string;
  readonly port: number;
  /** Whether TLS is spoken there. */
  readonly tls: boolean;
}

const errorSchema = z.object({ code: z.unknown().optional(), message: z.string().optional() });

interface Sign {
  readonly code: RefusalCode;
  /** Looked for in the error's code and message; the runtime and the drivers have no common codes. */
  readonly sign: RegExp;
  readonly words: (at: string) => string;
}

const NO_TLS: Sign = {
  code: "tls_refused",
  sign: /SSL|TLS|certificate/i,
  words: (at) =>
    `No TLS connection to ${at}: its certificate is not trusted or is for another host name, or nobody speaks TLS there.`,
};

const SIGNS: readonly Sign[] = [
  NO_TLS,
  {
    code: "host_unknown",
    sign: /ENOTFOUND|EAI_AGAIN|ENODATA|getaddrinfo|DNS/,
    words: (at) => `There is no host of this name: ${at}.`,
  },
  {
    code: "connection_refused",
    sign: /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|cannot connect to the specified address|connection refused/i,
    words: (at) => `Nobody takes connections at ${at}: the database is down, or host or port is wrong.`,
  },
  {
    code: "time_limit",
    sign: /ETIMEDOUT|timed? ?out/i,
    words: (at) => `The database at ${at} did not answer in time.`,
  },
  {
    code: "connection_lost",
    sign: /PROTOCOL_CONNECTION_LOST|ECONNRESET|EPIPE|connection.*(?:lost|closed)|socket|network|closed state/i,
    words: (at) =>
      `The connection to the database at ${at} broke. A change that was under way may have been made or not: look before you repeat it.`,
  },
];

/** A failure of the connection itself, in words. Of the config only the place is named, never what leads in. */
export function networkFailure(error: unknown, { host, port, tls }: Place): Refusal {
  const { code, message = "" } = errorSchema.safeParse(error).data ?? {};
  const text = `${String(code ?? "")} ${message}`;
  // What the runtime says when it connects with TLS at once, whichever of the two it was.
  const unclear = tls && /cannot connect to the specified address/.test(text);
  const found = unclear ? NO_TLS : SIGNS.find(({ sign }) => sign.test(text));
  const at = `${host}:${port}`;
  if (found !== undefined) return new Refusal(found.code, found.words(at), { cause: error });
  return new Refusal("failed", `The call to the database at ${at} failed.`, { cause: error });
}
