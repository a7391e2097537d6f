/** A database that counts what its statements read, as billed. */

export function countedReads(real: D1Database): { readonly db: D1Database; rowsRead(): number } {
  let total = 0;
  const db = new Proxy(real, {
    get: (target, key) =>
      key === "prepare"
        ? (sql: string) => countedStatement(target.prepare(sql), (rows) => (total += rows))
        : Reflect.get(target, key),
  });
  return { db, rowsRead: () => total };
}

function countedStatement(statement: D1PreparedStatement, note: (rows: number) => void): D1PreparedStatement {
  return new Proxy(statement, {
    get: (target, key) => {
      if (key === "bind") return (...values: unknown[]) => countedStatement(target.bind(...values), note);
      if (key === "first")
        return async (column?: string) => {
          const { results, meta } = await target.all<Record<string, unknown>>();
          note(meta.rows_read);
          return column === undefined ? (results[0] ?? null) : (results[0]?.[column] ?? null);
        };
      return async () => {
        const result = await target.all();
        note(result.meta.rows_read);
        return result;
      };
    },
  });
}
