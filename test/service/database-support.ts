/** What the tests of Database share: a server's other door for the test itself, and readers of answers. */
import { createConnection, type RowDataPacket } from "mysql2/promise";
import { inject } from "vitest";
import { z } from "zod";
import type { MariaDbAccess } from "./servers/mariadb.ts";
import type { ToolAnswer } from "./tool-host.ts";

export type Row = Readonly<Record<string, unknown>>;

const pageSchema = z.object({
  rows: z.array(z.record(z.string(), z.unknown())),
  nextOffset: z.number().nullable(),
  notes: z.array(z.string()).default([]),
});

/** The page of a query that succeeded. */
export const pageOf = (answer: ToolAnswer) => pageSchema.parse(doneOf(answer));
export const rowsOf = (answer: ToolAnswer) => pageOf(answer).rows;

/** What the tool answered, when it did what it was asked. */
export function doneOf(answer: ToolAnswer): unknown {
  if (answer.kind === "result" && answer.result.ok) return JSON.parse(answer.result.content);
  throw new Error(`the call failed: ${JSON.stringify(answer)}`);
}

/** The literal code of a refusal: by the tool, or of arguments that its schema does not take. */
export function codeOf(answer: ToolAnswer): string {
  if (answer.kind === "result" && !answer.result.ok) return answer.result.message.split(":")[0] ?? "";
  return answer.kind === "result" ? "done" : answer.kind;
}

export function messageOf(answer: ToolAnswer): string {
  return answer.kind === "result" && !answer.result.ok ? answer.result.message : "";
}

/** The server that `setup.ts` started. Tests that need it skip without. */
export function mariaDb(): MariaDbAccess {
  const access = inject("mariadb");
  if (access === null) throw new Error("MariaDB was not started");
  return access;
}

export const hasMariaDb = () => inject("mariadb") !== null;

/** A valid config for the tables. */
export function mysqlConfig(tables: readonly string[], changes: Row = {}): Row {
  const { port, user, password, database } = mariaDb();
  return {
    ...{ type: "mysql", host: "127.0.0.1", port, username: user, password, database },
    allowedTables: tables,
    ...changes,
  };
}

export interface Admin {
  /** Runs several statements. */
  run(sql: string): Promise<void>;
  rows(sql: string, values?: readonly (string | number)[]): Promise<Row[]>;
  /** Connections that the user has at this moment. */
  connections(user: string): Promise<number>;
  close(): Promise<void>;
}

/** A connection of the test's own, with all rights. */
export async function adminOf(access: MariaDbAccess): Promise<Admin> {
  const { port, database, admin } = access;
  const connection = await createConnection({
    ...{ host: "127.0.0.1", port, database, user: admin.user, password: admin.password },
    ...{ multipleStatements: true, supportBigNumbers: true, bigNumberStrings: true, dateStrings: true },
  });
  const rows = async (sql: string, values: readonly (string | number)[] = []) => {
    const [found] = await connection.query<RowDataPacket[]>(sql, [...values]);
    return found.map((row) => ({ ...row }));
  };
  return {
    run: async (sql) => void (await connection.query(sql)),
    rows,
    connections: async (user) => {
      const found = await rows("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = ?", [user]);
      return found.length;
    },
    close: () => connection.end(),
  };
}
