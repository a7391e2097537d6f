/** One connection for one call: opened, prepared, always closed. */
import { type Answer, type MySqlConnection, mySqlConnection } from "../../../protocols/mysql/connection.ts";
import { CONNECT_MS, STATEMENT_MS, within } from "../deadline.ts";
import type { MySqlSettings } from "./settings.ts";
import type { Statement } from "./statement.ts";

export interface Session {
  run(statement: Statement): Promise<Answer>;
  /** Our own words, without values. */
  command(sql: string): Promise<void>;
}

export interface SessionOptions {
  readonly settings: MySqlSettings;
  readonly signal: AbortSignal;
  /** The server then refuses every change, whatever the statement. */
  readonly readOnly: boolean;
}

/** A little more than the server's own limit, whose answer is the better one. */
const TIMES = { connect: CONNECT_MS, statement: STATEMENT_MS + 2_000 };

/** Runs `work` on a connection of its own. Rejects as the driver does; nothing stays open, however it ends. */
export async function withSession<T>(
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  options.signal.throwIfAborted();
  const connection = await mySqlConnection(options.settings, TIMES);
  try {
    return await within({ signal: options.signal, cut: () => connection.destroy() }, async () => {
      await connection.connect();
      await prepare(connection, options.readOnly);
      const result = await work({ run: connection.execute, command: connection.command });
      await connection.end();
      return result;
    });
  } finally {
    connection.destroy();
  }
}

async function prepare(connection: MySqlConnection, readOnly: boolean): Promise<void> {
  // Without strict mode the server cuts what does not fit, silently.
  await connection.command(
    "SET SESSION time_zone = '+00:00', sql_mode = CONCAT_WS(',', @@SESSION.sql_mode, 'STRICT_ALL_TABLES')",
  );
  await connection.command(`SET SESSION innodb_lock_wait_timeout = ${STATEMENT_MS / 1_000 - 2}`);
  // MariaDB has the first of these, MySQL the second, which covers queries only.
  await connection
    .command(`SET SESSION max_statement_time = ${STATEMENT_MS / 1_000}`)
    .catch(() => connection.command(`SET SESSION max_execution_time = ${STATEMENT_MS}`));
  const access = readOnly ? "READ ONLY" : "READ WRITE";
  await connection.command(`SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, ${access}`);
}
