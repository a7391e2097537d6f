/** Where the names of objects stand: of fresh workers, and of chains in which something went wrong. */
import { partKey, readPart, tableOf } from "../archive/part-file.ts";
import type { Reader } from "../record/reader.ts";
import { type KeptRow, RECEIPTS, TASKS } from "../retention/kept-tables.ts";
import type { EraseStores } from "./parts.ts";
import type { NamePage, NameSource } from "./walk-objects.ts";

/** Rows that are looked at, and names that are taken from them. */
const LOOKED_AT = 2_000;
const NAMES_AT_ONCE = 200;

/**
 * The list of each agent is what counts; it learns first what only rows of the board know, those in the archive
 * too.
 */
export function workerSources(stores: EraseStores): NameSource[] {
  const noted =
    (source: NameSource): NameSource =>
    async (place) => {
      const page = await source(place);
      await note(stores, page.names);
      return { ...page, names: [] };
    };
  return [
    noted(
      rowsOf(stores.reader, {
        table: "Tasks",
        key: "rowid",
        column: "Worker",
        where: `"Worker" LIKE '_%@%'`,
      }),
    ),
    noted(archived(stores, TASKS.name, ({ worker }) => worker)),
    listed(stores),
  ];
}

async function note({ noteWorkers }: EraseStores, workers: readonly string[]): Promise<void> {
  const fresh = workers.filter((worker) => worker.indexOf("@") > 0);
  for (const [agentId, own] of Map.groupBy(fresh, (worker) => worker.slice(0, worker.indexOf("@"))))
    await noteWorkers(agentId, own);
}

/** Agent by agent: `<agent> <the last worker of it>`. */
function listed({ agentIds, workersOf }: EraseStores): NameSource {
  return async (place) => {
    const [agentId = "", after = ""] = (place ?? " ").split(" ");
    const current = after === "" ? (await agentIds()).find((id) => id > agentId) : agentId;
    if (current === undefined) return { names: [], next: null };
    const names = await workersOf(current, after);
    return { names, next: `${current} ${names.at(-1) ?? ""}` };
  };
}

/** Figures of a chain stay when its receipts go. Copies of receipts have words in them only where something went wrong. */
export function chainSources(stores: EraseStores): NameSource[] {
  const { reader } = stores;
  return [
    rowsOf(reader, { table: "RunReceipts", key: "rowid", column: "RootRunId", where: `"Error" IS NOT NULL` }),
    rowsOf(reader, {
      table: "ChainFacts",
      key: "RootRunId",
      column: "RootRunId",
      where: `"FailedRuns" > 0 AND NOT EXISTS (SELECT 1 FROM "RunReceipts" r
        WHERE r."RootRunId" = "ChainFacts"."RootRunId" AND r."Error" IS NOT NULL)`,
    }),
    archived(stores, RECEIPTS.name, ({ rootRunId, error }) => (error === null ? null : rootRunId)),
  ];
}

interface NamedIn {
  readonly table: string;
  /** In whose order the rows are gone over: an integer, or a text. */
  readonly key: "rowid" | "RootRunId";
  readonly column: string;
  readonly where: string;
}

/** Out of a stretch of a table. */
function rowsOf(reader: Reader, { table, key, column, where }: NamedIn): NameSource {
  return async (place) => {
    const after = key === "rowid" ? Number(place ?? 0) : (place ?? "");
    const end = await reader.first<{ upTo: string | number | null }>(
      `SELECT max(k) AS "upTo" FROM (SELECT ${key} AS k FROM "${table}" WHERE ${key} > ? ORDER BY ${key} LIMIT ${LOOKED_AT})`,
      after,
    );
    const upTo = end?.upTo ?? null;
    if (upTo === null) return { names: [], next: null };
    const rows = await reader.all<{ key: string | number; name: string }>(
      `SELECT ${key} AS "key", "${column}" AS "name" FROM "${table}" WHERE ${key} > ? AND ${key} <= ? AND ${where} ORDER BY ${key} LIMIT ${NAMES_AT_ONCE}`,
      after,
      upTo,
    );
    const last = rows.length === NAMES_AT_ONCE ? rows.at(-1) : undefined;
    return { names: rows.map(({ name }) => name), next: String(last?.key ?? upTo) };
  };
}

/** Out of the archive's objects of a table, one by one, by their keys. */
function archived(
  { texts }: EraseStores,
  tableName: string,
  nameIn: (row: KeptRow) => KeptRow[string] | undefined,
): NameSource {
  const prefix = partKey({ tableName, day: "", part: 0 }).replace(/\/\/.*$/, "/");
  return async (place): Promise<NamePage> => {
    const { objects } = await texts.list({
      prefix,
      limit: 1,
      ...(place === null ? {} : { startAfter: place }),
    });
    const [object] = objects;
    if (object === undefined) return { names: [], next: null };
    const part = tableOf(object.key) === tableName ? await readPart(texts, object.key) : null;
    const names = (part?.rows ?? []).map(nameIn).filter((name) => typeof name === "string");
    return { names: names.filter((name) => name !== ""), next: object.key };
  };
}
