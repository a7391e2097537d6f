/**
 * A handle on the record that cannot write: every statement is looked at before the database sees it, and only
 * a single SELECT passes. For readers that are handed to tools.
 */

/** All that a reader needs of D1. */
export type Prepares = Pick<D1Database, "prepare">;

/** Thrown for a statement that is no plain SELECT; nothing of it was executed. */
export class NotASelectError extends Error {
  override readonly name = "NotASelectError";
}

export function selectOnly(db: Prepares): Prepares {
  return {
    prepare: (sql) => {
      if (!isSelect(sql)) throw new NotASelectError("This handle on the record only reads.");
      return db.prepare(sql);
    },
  };
}

/** Strings, quoted names and comments, of which none can hold a keyword that counts; an open one swallows the rest. */
const QUOTED =
  /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const WRITES =
  /\b(insert|update|delete|create|drop|alter|attach|detach|pragma|vacuum|reindex|analyze|begin|commit|rollback|savepoint|release|explain|load_extension|returning)\b|\breplace\b(?!\s*\()|\bpragma_/i;

/** Whether the text is one SELECT, perhaps after WITH, and no word of it writes. */
export function isSelect(sql: string): boolean {
  const plain = sql.replace(QUOTED, " ? ").replace(/;\s*$/, "");
  return /^\s*(select|with)\b/i.test(plain) && !plain.includes(";") && !WRITES.test(plain);
}
