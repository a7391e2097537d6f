/** One client for one call: opened, always closed. */
import type { Db } from "mongodb";
import { CONNECT_MS, STATEMENT_MS, within } from "../deadline.ts";
import type { MongoSettings } from "./settings.ts";

export interface ClientOptions {
  readonly settings: MongoSettings;
  readonly signal: AbortSignal;
}

/** Runs `work` on a client of its own. Rejects as the driver does; nothing stays open, however it ends. */
export async function withDatabase<T>(
  { settings, signal }: ClientOptions,
  work: (database: Db) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  // At the first call and not at the start: the driver's modules do not load in the pool that the runtime tests
  // run in, and would take all of them along.
  const { MongoClient } = await import("mongodb");
  const client = new MongoClient(settings.uri, {
    // In a request's short life one connection is enough; the runtime lets it have six.
    maxPoolSize: 1,
    minPoolSize: 0,
    serverMonitoringMode: "poll",
    connectTimeoutMS: CONNECT_MS,
    serverSelectionTimeoutMS: CONNECT_MS,
    // A little more than the server's own limit, whose answer is the better one.
    socketTimeoutMS: STATEMENT_MS + 2_000,
    ...(settings.tls === null ? {} : { tls: settings.tls }),
    ...(settings.auth === null ? {} : { auth: settings.auth }),
  });
  const close = () => client.close().catch(() => undefined);
  // The driver would go on trying until its time is up, and then tell less.
  const unreachable = new Promise<never>((_resolve, reject) => {
    if (settings.single) client.on("serverHeartbeatFailed", ({ failure }) => reject(failure));
  });
  try {
    return await within({ signal, cut: close }, () =>
      Promise.race([work(client.db(settings.database)), unreachable]),
    );
  } finally {
    await close();
  }
}
