/** One connection for one call: opened, prepared, always closed. */
import type { Connection, FieldPacket } from "mysql2";
import { z } from "zod";
import { CONNECT_MS, STATEMENT_MS, within } from "../deadline.ts";
import type { MySqlSettings } from "./settings.ts";
import type { Statement } from "./statement.ts";

/** How the driver describes a column of an answer. */
export interface Field {
  readonly name: string;
  readonly type: number;
}

export interface Answer {
  readonly rows: readonly (readonly unknown[])[];
  readonly fields: readonly Field[];
  /** Of a change: how many rows it found. */
  readonly affectedRows: number;
  /** Of an insert: the first generated number, 0 when there is none. As text when it is too large for a number. */
  readonly insertId: number | string;
}

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

/** Runs `work` on a connection of its own. Rejects as the driver does; nothing stays open, however it ends. */
export async function withSession<T>(
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  options.signal.throwIfAborted();
  // Loaded at the first call: a Worker's start is not for drivers, and no two tools wait for each other's.
  const { createConnection } = await import("mysql2");
  const connection = createConnection(driverOptions(options.settings));
  // Errors reach the call that waits; without a listener a late one would end the process.
  connection.on("error", () => {});
  try {
    return await within({ signal: options.signal, cut: () => connection.destroy() }, async () => {
      await connected(connection);
      await prepare(connection, options.readOnly);
      const result = await work({
        run: (statement) => execute(connection, statement),
        command: (sql) => command(connection, sql),
      });
      await ended(connection);
      return result;
    });
  } finally {
    connection.destroy();
  }
}

function driverOptions(settings: MySqlSettings) {
  return {
    host: settings.host,
    port: settings.port,
    user: settings.user,
    password: settings.password,
    database: settings.database,
    // The runtime forbids code from text, of which the driver otherwise makes its parsers.
    disableEval: true,
    connectTimeout: CONNECT_MS,
    // Numbers beyond 2^53 come as text, dates and JSON as they are: nothing is lost on the way.
    supportBigNumbers: true,
    bigNumberStrings: false,
    dateStrings: true,
    jsonStrings: true,
    rowsAsArray: true,
    // The runtime checks certificate and host name; the driver's own settings for that do not work there.
    ...(settings.tls ? { ssl: {} } : {}),
  };
}

function connected(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
}

function ended(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.end((error) => (error ? reject(error) : resolve()));
  });
}

async function prepare(connection: Connection, readOnly: boolean): Promise<void> {
  // Without strict mode the server cuts what does not fit, silently.
  await command(
    connection,
    "SET SESSION time_zone = '+00:00', sql_mode = CONCAT_WS(',', @@SESSION.sql_mode, 'STRICT_ALL_TABLES')",
  );
  await command(connection, `SET SESSION innodb_lock_wait_timeout = ${STATEMENT_MS / 1_000 - 2}`);
  // MariaDB has the first of these, MySQL the second, which covers queries only.
  await command(connection, `SET SESSION max_statement_time = ${STATEMENT_MS / 1_000}`).catch(() =>
    command(connection, `SET SESSION max_execution_time = ${STATEMENT_MS}`),
  );
  const access = readOnly ? "READ ONLY" : "READ WRITE";
  await command(connection, `SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, ${access}`);
}

function command(connection: Connection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query({ sql, timeout: STATEMENT_MS }, (error) => (error ? reject(error) : resolve()));
  });
}

const changeSchema = z.object({ affectedRows: z.number(), insertId: z.union([z.number(), z.string()]) });
const rowsSchema = z.array(z.array(z.unknown()));

/** As a prepared statement: the values travel apart from the SQL. */
function execute(connection: Connection, { sql, parameters }: Statement): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // A little more than the server's own limit, whose answer is the better one.
    const options = { sql, values: [...parameters], timeout: STATEMENT_MS + 2_000 };
    connection.execute(options, (error: unknown, result: unknown, fields: FieldPacket[] | undefined) => {
      if (error) reject(error);
      else resolve(answerOf(result, fields ?? []));
    });
  });
}

function answerOf(result: unknown, fields: readonly FieldPacket[]): Answer {
  const change = changeSchema.safeParse(result);
  return {
    rows: change.success ? [] : rowsSchema.parse(result),
    fields: fields.map(({ name, columnType, type }) => ({ name, type: columnType ?? type ?? 0 })),
    affectedRows: change.success ? change.data.affectedRows : 0,
    insertId: change.success ? change.data.insertId : 0,
  };
}
