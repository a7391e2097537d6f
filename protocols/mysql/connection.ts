/** One connection to a MySQL or MariaDB server, for one invocation: a kept one would belong to a request that is over. */
import type { Connection, FieldPacket } from "mysql2";
import { z } from "zod";

export interface MySqlPlace {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: boolean;
}

/** In milliseconds. */
export interface MySqlTimes {
  /** Until a connection stands. */
  readonly connect: number;
  /** Until a statement is given up; a server's own limit should be a little shorter, its answer says more. */
  readonly statement: number;
}

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

export interface Prepared {
  /** With `?` for every value. */
  readonly sql: string;
  readonly parameters: readonly (string | number | Buffer | null)[];
}

export interface MySqlConnection {
  /** Rejects as the driver does, like the others. */
  connect(): Promise<void>;
  /** Our own words, without values. */
  command(sql: string): Promise<void>;
  /** As a prepared statement: the values travel apart from the SQL. */
  execute(statement: Prepared): Promise<Answer>;
  end(): Promise<void>;
  /** Cuts it at once, from whatever state it is in. */
  destroy(): void;
}

/** Not connected yet. The driver is loaded at the first call: a Worker's start is not for drivers. */
export async function mySqlConnection(place: MySqlPlace, times: MySqlTimes): Promise<MySqlConnection> {
  const { createConnection } = await import("mysql2");
  const connection = createConnection(driverOptions(place, times));
  // Errors reach the call that waits; without a listener a late one would end the process.
  connection.on("error", () => {});
  return {
    connect: () => settled((done) => connection.connect(done)),
    command: (sql) => settled((done) => connection.query({ sql, timeout: times.statement }, done)),
    execute: (statement) => execute(connection, statement, times.statement),
    end: () => settled((done) => connection.end(done)),
    destroy: () => connection.destroy(),
  };
}

function driverOptions(place: MySqlPlace, times: MySqlTimes) {
  return {
    host: place.host,
    port: place.port,
    user: place.user,
    password: place.password,
    database: place.database,
    // The runtime forbids code from text, of which the driver otherwise makes its parsers.
    disableEval: true,
    connectTimeout: times.connect,
    // Numbers beyond 2^53 come as text, dates and JSON as they are: nothing is lost on the way.
    supportBigNumbers: true,
    bigNumberStrings: false,
    dateStrings: true,
    jsonStrings: true,
    rowsAsArray: true,
    // The runtime checks certificate and host name; the driver's own settings for that do not work there.
    ...(place.tls ? { ssl: {} } : {}),
  };
}

function settled(begin: (done: (error: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    begin((error) => (error ? reject(error) : resolve()));
  });
}

const changeSchema = z.object({ affectedRows: z.number(), insertId: z.union([z.number(), z.string()]) });
const rowsSchema = z.array(z.array(z.unknown()));

function execute(connection: Connection, { sql, parameters }: Prepared, timeout: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { sql, values: [...parameters], timeout };
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
