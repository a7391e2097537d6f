import { z } from "zod";
import { timeUp } from "../deadline.ts";
import { networkFailure } from "../network-failure.ts";
import { Refusal, type RefusalCode } from "../refusal.ts";
import type { MySqlSettings } from "./settings.ts";

const errorSchema = z.object({
  code: z.string().optional(),
  errno: z.number().optional(),
  sqlState: z.string().optional(),
  message: z.string().optional(),
});

interface Known {
  readonly code: RefusalCode;
  readonly message: string;
}

const LOGIN: Known = {
  code: "login_refused",
  message:
    "The database refused the login: user name or password is wrong, or the account may not come from here, or only over TLS (tls in the config).",
};
const BUSY: Known = {
  code: "busy",
  message: "Others hold locks on the same rows; nothing was changed. Try again.",
};

const KNOWN: ReadonlyMap<string, Known> = new Map([
  ["ER_ACCESS_DENIED_ERROR", LOGIN],
  ["ER_ACCESS_DENIED_NO_PASSWORD_ERROR", LOGIN],
  ["ER_HOST_NOT_PRIVILEGED", LOGIN],
  [
    "ER_SECURE_TRANSPORT_REQUIRED",
    { code: "tls_refused", message: "The database takes TLS only: tls must be true in the config." },
  ],
  [
    "HANDSHAKE_NO_SSL_SUPPORT",
    { code: "tls_refused", message: "The database speaks no TLS, but the config asks for it." },
  ],
  ["ER_DBACCESS_DENIED_ERROR", { code: "not_permitted", message: "The account may not use this database." }],
  [
    "ER_TABLEACCESS_DENIED_ERROR",
    { code: "not_permitted", message: "The account may not do this to the table." },
  ],
  [
    "ER_COLUMNACCESS_DENIED_ERROR",
    { code: "not_permitted", message: "The account may not do this to a column." },
  ],
  [
    "ER_BAD_DB_ERROR",
    { code: "misconfigured", message: "The server has no database of the configured name." },
  ],
  ["ER_LOCK_DEADLOCK", BUSY],
  ["ER_LOCK_WAIT_TIMEOUT", BUSY],
  [
    "ER_CON_COUNT_ERROR",
    { code: "busy", message: "The database has too many connections at the moment. Try again later." },
  ],
  [
    "ER_USER_LIMIT_REACHED",
    { code: "busy", message: "The account has too many connections at the moment. Try again later." },
  ],
  [
    "ER_NET_PACKET_TOO_LARGE",
    { code: "too_large", message: "The rows are larger than the database takes at once. Send fewer." },
  ],
]);

/** Numbers of MariaDB, for which the driver has no or another name, and of MySQL: the statement ran too long. */
const TIME_LIMITS: readonly number[] = [1969, 3024];
const CLIENT_TIME_LIMIT = "PROTOCOL_SEQUENCE_TIMEOUT";

/** What went wrong, in words that hold nothing of the config. Refusals pass as they are. */
export function mysqlFailure(error: unknown, settings: MySqlSettings): Refusal {
  if (error instanceof Refusal) return error;
  const { code = "", errno = 0, sqlState = "", message = "" } = errorSchema.safeParse(error).data ?? {};
  if (TIME_LIMITS.includes(errno) || code === CLIENT_TIME_LIMIT) return timeUp(error);
  const known = KNOWN.get(code);
  if (known !== undefined) return new Refusal(known.code, known.message, { cause: error });
  const refused = refusalOf(errno, sqlState);
  if (refused === null) return networkFailure(error, settings);
  // The server's own words; they quote values of the call and names of the table, never the config.
  return new Refusal(refused, `The database refused it and changed nothing: ${message}`, { cause: error });
}

const DUPLICATE = 1062;
/** Wrong, cut or out of range for its column. */
const VALUES: readonly number[] = [1264, 1265, 1292, 1366, 1406, 1411, 3140];
/** A column without default, a check. */
const CONSTRAINTS: readonly number[] = [1364, 3819, 4025];

/** By the server's number, else by the class of the SQL state. Null: it was not the server that refused. */
function refusalOf(errno: number, sqlState: string): RefusalCode | null {
  if (errno === DUPLICATE) return "duplicate_key";
  if (CONSTRAINTS.includes(errno) || sqlState.startsWith("23")) return "constraint";
  if (VALUES.includes(errno) || sqlState.startsWith("22")) return "value_refused";
  return sqlState === "" ? null : "failed";
}

export const isDuplicate = (error: unknown) => errorSchema.safeParse(error).data?.errno === DUPLICATE;
export const isDeadlock = (error: unknown) => errorSchema.safeParse(error).data?.code === "ER_LOCK_DEADLOCK";
