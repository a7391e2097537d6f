/**
 * The narrow view of an object's SQLite storage that the journal works on. Synchronous, as in a
 * Durable Object; the adapter lives in durable-objects/.
 */
export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

export interface Database {
  run(sql: string, ...params: readonly SqlValue[]): void;
  all(sql: string, ...params: readonly SqlValue[]): readonly Row[];
  /** All or nothing; nested calls join the outer one. */
  transaction<T>(work: () => T): T;
}

/** The first row, or null. */
export function first(db: Database, sql: string, ...params: readonly SqlValue[]): Row | null {
  return db.all(sql, ...params)[0] ?? null;
}

/** A text column. Throws when the schema and the code disagree. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`Column ${column} holds no text`);
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

/** An integer column. Throws when the schema and the code disagree. */
export function int(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new TypeError(`Column ${column} holds no number`);
  return value;
}

export function intOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : int(row, column);
}

/** JSON that this code itself wrote into its own storage: the one place where a shape is trusted unchecked. */
export function ownJson<T>(json: string): T {
  return JSON.parse(json);
}
