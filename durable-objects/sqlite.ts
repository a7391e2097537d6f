import type { Database, Row, SqlValue } from "../core/journal/database.ts";

/** The one place that touches an object's SQLite storage. */
export function objectDatabase(storage: DurableObjectStorage): Database {
  let depth = 0;
  return {
    run: (sql, ...params) => {
      storage.sql.exec(sql, ...params);
    },
    all: (sql: string, ...params: readonly SqlValue[]): readonly Row[] =>
      storage.sql.exec<Record<string, SqlStorageValue>>(sql, ...params).toArray(),
    transaction: <T>(work: () => T): T => {
      if (depth > 0) return work();
      depth += 1;
      try {
        return storage.transactionSync(work);
      } finally {
        depth -= 1;
      }
    },
  };
}
