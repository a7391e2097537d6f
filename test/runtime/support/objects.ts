/** What lies in the SQLite storage of the instance's objects, as a curious operator would find it. */
import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

export interface StoredRow {
  readonly object: string;
  readonly table: string;
  readonly cells: Readonly<Record<string, unknown>>;
}

/** Every row of every table of every agent's, chain's and hub object. */
export async function storedRows(): Promise<StoredRow[]> {
  return [...(await rowsIn(env.AGENTS)), ...(await rowsIn(env.CHAINS)), ...(await rowsIn(env.HUB))];
}

async function rowsIn<T extends Rpc.DurableObjectBranded>(
  namespace: DurableObjectNamespace<T>,
): Promise<StoredRow[]> {
  const rows: StoredRow[] = [];
  for (const id of await listDurableObjectIds(namespace)) {
    const stub = namespace.get(id);
    rows.push(...(await runInDurableObject(stub, (_, state) => rowsOf(id.name ?? String(id), state))));
  }
  return rows;
}

function rowsOf(object: string, state: DurableObjectState): StoredRow[] {
  const { sql } = state.storage;
  const tables = sql.exec<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
  );
  return tables.toArray().flatMap(({ name: table }) =>
    sql
      .exec(`SELECT * FROM "${table}"`)
      .toArray()
      .map((cells) => ({ object, table, cells })),
  );
}
