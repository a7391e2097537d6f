import type { MySqlPlace } from "../../../protocols/mysql/connection.ts";
import { type DatabaseConfig, wantsTls } from "../config.ts";
import { Refusal } from "../refusal.ts";

export type MySqlSettings = MySqlPlace;

const DEFAULT_PORT = 3306;
/** What a connection string may ask for; the driver would take any of its own options, several statements at once included. */
const TLS_PARAMETERS: readonly string[] = ["tls", "ssl"];

/** Throws a {@link Refusal} for a connection string that is none; its message does not quote it. */
export function mysqlSettings(config: DatabaseConfig): MySqlSettings {
  const {
    connectionString,
    host = "",
    port = DEFAULT_PORT,
    username = "",
    password = "",
    database = "",
  } = config;
  if (connectionString !== undefined) return fromString(connectionString, config);
  return { host, port, user: username, password, database, tls: wantsTls(config, host) };
}

function fromString(text: string, config: DatabaseConfig): MySqlSettings {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "mysql:" && url.protocol !== "mariadb:")) throw misconfigured();
  const database = config.database ?? decoded(url.pathname.slice(1));
  const user = decoded(url.username);
  if (url.hostname === "" || user === "" || database === "") throw misconfigured();
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const tls = config.tls ?? tlsParameter(url.searchParams);
  return {
    host,
    port: url.port === "" ? DEFAULT_PORT : Number(url.port),
    user,
    password: decoded(url.password),
    database,
    tls: wantsTls(tls === undefined ? {} : { tls }, host),
  };
}

function tlsParameter(parameters: URLSearchParams): boolean | undefined {
  for (const [name, value] of parameters) {
    if (!TLS_PARAMETERS.includes(name) || (value !== "true" && value !== "false")) {
      throw new Refusal(
        "misconfigured",
        'The connection string may only have the parameter "tls", true or false.',
      );
    }
    return value === "true";
  }
  return undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw misconfigured();
  }
}

function misconfigured(): Refusal {
  return new Refusal(
    "misconfigured",
    "The connection string in the config is not of the form mysql://user:password@host:port/database.",
  );
}
