/** Reads from D1 and counts what was read. */
import type { Cell } from "./columns.ts";

export interface Reader {
  /**
   * Runs a statement. `Row` is what its column list says: statements take theirs from the schema, which
   * is what makes this typing safe.
   */
  all<Row>(sql: string, ...params: readonly Cell[]): Promise<Row[]>;
  /** The first row, or null. */
  first<Row>(sql: string, ...params: readonly Cell[]): Promise<Row | null>;
  /** Rows read so far, as billed, for `Server-Timing`. */
  readonly rowsRead: number;
}

/** What Cloudflare documents as worth a second try. */
const LOST = /network connection lost|storage caused object to be reset|reset because its code was updated/i;

/** A reader for one request. A lost connection is tried once more; otherwise rejects when D1 does. */
export function createReader(db: Pick<D1Database, "prepare">): Reader {
  let rowsRead = 0;
  const all = async <Row>(sql: string, ...params: readonly Cell[]): Promise<Row[]> => {
    const statement = db.prepare(sql).bind(...params);
    const result = await statement.all<Row>().catch((error: unknown) => {
      if (error instanceof Error && LOST.test(error.message)) return statement.all<Row>();
      throw error;
    });
    rowsRead += result.meta.rows_read;
    return result.results;
  };
  return {
    all,
    first: async <Row>(sql: string, ...params: readonly Cell[]) =>
      (await all<Row>(sql, ...params))[0] ?? null,
    get rowsRead() {
      return rowsRead;
    },
  };
}
