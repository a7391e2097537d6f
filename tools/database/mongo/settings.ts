import { type DatabaseConfig, wantsTls } from "../config.ts";
import type { Place } from "../network-failure.ts";
import { Refusal } from "../refusal.ts";

export interface MongoSettings {
  readonly uri: string;
  readonly auth: { readonly username: string; readonly password: string } | null;
  /** Null leaves it to the connection string. */
  readonly tls: boolean | null;
  readonly database: string;
  /** The first host; for messages. */
  readonly place: Place;
  /** Whether there is no other host that could answer when this one does not. */
  readonly single: boolean;
}

const DEFAULT_PORT = 27017;
const URI = /^mongodb(?:\+srv)?:\/\/(?:[^@/?]*@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;
const SAYS_TLS = /(?:^|&)(?:tls|ssl)=/;

/** Throws a {@link Refusal} for a connection string that is none; its message does not quote it. */
export function mongoSettings(config: DatabaseConfig): MongoSettings {
  if (config.connectionString !== undefined) return fromString(config.connectionString, config);
  const { host = "", port = DEFAULT_PORT, username, password = "", database = "" } = config;
  return {
    uri: `mongodb://${host.includes(":") ? `[${host}]` : host}:${port}/`,
    auth: username === undefined ? null : { username, password },
    tls: wantsTls(config, host),
    database,
    place: { host, port, tls: wantsTls(config, host) },
    single: true,
  };
}

function fromString(uri: string, config: DatabaseConfig): MongoSettings {
  const match = URI.exec(uri);
  const [, hosts = "", path = "", parameters = ""] = match ?? [];
  const [first = ""] = hosts.split(",");
  const database = config.database ?? path;
  if (match === null || database === "") {
    throw new Refusal(
      "misconfigured",
      "The connection string in the config is not of the form mongodb://user:password@host:port/database.",
    );
  }
  const [, host = first, port] = /^(.*?)(?::(\d+))?$/.exec(first) ?? [];
  const said = uri.startsWith("mongodb+srv:") || SAYS_TLS.test(parameters);
  const tls = config.tls ?? (said ? null : wantsTls(config, host));
  return {
    uri,
    auth: null,
    tls,
    database,
    place: { host, port: port === undefined ? DEFAULT_PORT : Number(port), tls: tls !== false },
    single: !uri.startsWith("mongodb+srv:") && !hosts.includes(","),
  };
}
