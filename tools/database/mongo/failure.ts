import { z } from "zod";
import { timeUp } from "../deadline.ts";
import { networkFailure } from "../network-failure.ts";
import { Refusal, type RefusalCode } from "../refusal.ts";
import type { MongoSettings } from "./settings.ts";

const errorSchema = z.object({
  insertedCount: z.number().optional(),
  name: z.string().optional(),
  code: z.unknown().optional(),
  message: z.string().optional(),
  errmsg: z.string().optional(),
  cause: z.unknown().optional(),
  reason: z.unknown().optional(),
});

interface Known {
  readonly code: RefusalCode;
  /** Null: the server's own words, which are about the call. */
  readonly message: string | null;
}

const LOGIN: Known = {
  code: "login_refused",
  message:
    "The database refused the login: user name or password is wrong, or the account belongs to another database (authSource).",
};

const KNOWN: ReadonlyMap<unknown, Known> = new Map<unknown, Known>([
  [18, LOGIN],
  [8000, LOGIN],
  [13, { code: "not_permitted", message: "The account may not do this to the collection." }],
  [11000, { code: "duplicate_key", message: null }],
  [121, { code: "constraint", message: "A document breaks the rules (validator) of the collection." }],
]);
const TIME_LIMIT = 50;

/** What went wrong, in words that hold nothing of the config. Refusals pass as they are. */
export function mongoFailure(error: unknown, { place }: MongoSettings): Refusal {
  if (error instanceof Refusal) return error;
  const {
    name = "",
    code,
    message = "",
    errmsg,
    insertedCount = 0,
  } = errorSchema.safeParse(error).data ?? {};
  if (code === TIME_LIMIT || name === "MongoNetworkTimeoutError") return timeUp(error);
  const known = KNOWN.get(code);
  if (known !== undefined) {
    return new Refusal(known.code, known.message ?? refusedWords(message, insertedCount), { cause: error });
  }
  if (name === "MongoParseError" || name === "MongoInvalidArgumentError") {
    return new Refusal("misconfigured", "The driver does not understand the config of the connection.", {
      cause: error,
    });
  }
  if (name === "MongoServerError" || name === "MongoBulkWriteError") {
    return new Refusal("failed", `The database refused the request: ${errmsg ?? message}`, { cause: error });
  }
  return networkFailure({ code: name, message: trail(error) }, place);
}

/** The messages of an error and of what led to it; servers that were not reached keep theirs in a map. */
function trail(error: unknown, depth = 0): string {
  const { message = "", cause, reason } = errorSchema.safeParse(error).data ?? {};
  if (depth > 4) return message;
  const servers = serversOf(reason).map((server) => trail(server, depth + 1));
  return [message, ...servers, ...(cause === undefined ? [] : [trail(cause, depth + 1)])].join(" ");
}

const reasonSchema = z.object({ servers: z.instanceof(Map) });
const serverSchema = z.object({ error: z.unknown() });

function serversOf(reason: unknown): unknown[] {
  const servers = reasonSchema.safeParse(reason);
  if (!servers.success) return [];
  return [...servers.data.servers.values()].flatMap((server) => {
    const parsed = serverSchema.safeParse(server);
    return parsed.success && parsed.data.error ? [parsed.data.error] : [];
  });
}

/** Rows are written one after the other, up to the first that is refused. */
function refusedWords(message: string, inserted: number): string {
  return `The database refused a row: ${message}. ${inserted} rows before it were inserted, none after it.`;
}
