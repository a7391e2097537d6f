/** What is gone over, in its order, and how much of it at a time. */
import { ownJson } from "../journal/database.ts";
import type { Reader } from "../record/reader.ts";
import type { ErasedInAgent } from "./erase-agent.ts";
import type { ErasedInObject, ObjectPlace } from "./erase-object.ts";
import { eraseRows } from "./erase-record.ts";
import { eraseStoredTexts } from "./erase-stored-texts.ts";
import type { Needle } from "./needle.ts";
import { ERASED_TABLES } from "./record-tables.ts";

export interface EraseStores {
  readonly reader: Reader;
  readonly db: D1Database;
  readonly texts: R2Bucket;
  readonly files: R2Bucket;
  /** Ids of all agents that are or were there, sorted. */
  readonly agentIds: () => Promise<readonly string[]>;
  /** A stretch of an agent's or a worker's object. */
  readonly inAgent: (name: string, from: ObjectPlace | null, write: boolean) => Promise<ErasedInAgent>;
  readonly inChain: (rootRunId: string, write: boolean) => Promise<number>;
  readonly inHub: (from: ObjectPlace | null, write: boolean) => Promise<ErasedInObject>;
}

export interface StepDone {
  readonly found: number;
  readonly next: string | null;
  readonly inConfig?: readonly string[];
  readonly files?: readonly string[];
}

interface Part {
  readonly name: string;
  work(
    stores: EraseStores,
    needle: Needle,
    at: { readonly place: string | null; readonly write: boolean },
  ): Promise<StepDone>;
}

const FILES_AT_ONCE = 500;
/** Rows that are looked at for the names of objects, and objects that are called then. */
const LOOKED_AT = 2_000;
const OBJECTS_AT_ONCE = 25;

/** Objects before D1, because what they have not yet delivered would come there afterwards. */
export const PARTS: readonly Part[] = [
  { name: "agents", work: eraseAgents },
  { name: "workers", work: eraseWorkers },
  { name: "chains", work: eraseChains },
  {
    name: "liveFeed",
    work: async ({ inHub }, _needle, { place, write }) => {
      const { found, next } = await inHub(placeOf(place), write);
      return { found, next: next === null ? null : JSON.stringify(next) };
    },
  },
  ...ERASED_TABLES.map(
    (table): Part => ({
      name: table.name,
      work: (stores, needle, at) => eraseRows(stores, needle, table, at),
    }),
  ),
  {
    name: "texts",
    work: async ({ texts, inChain }, needle, { place, write }) => {
      const { found, next, roots } = await eraseStoredTexts(texts, needle, { cursor: place, write });
      return { found: found + (await eraseInChains(inChain, roots, write)), next };
    },
  },
  { name: "files", work: listFiles },
];

function placeOf(place: string | null): ObjectPlace | null {
  return place === null ? null : ownJson<ObjectPlace>(place);
}

/** `<agent> <place in its object>`, the place being empty at the object's beginning. */
async function eraseAgents(
  { agentIds, inAgent }: EraseStores,
  _needle: Needle,
  at: { place: string | null; write: boolean },
) {
  const [, current = "", inner = ""] = /^(\S*) (.*)$/s.exec(at.place ?? " ") ?? [];
  const ids = await agentIds();
  const name = inner === "" ? ids.find((id) => id > current) : current;
  if (name === undefined) return { found: 0, next: null };
  const { found, next, inConfig } = await inAgent(name, placeOf(inner === "" ? null : inner), at.write);
  return {
    found,
    next: `${name} ${next === null ? "" : JSON.stringify(next)}`,
    inConfig: inConfig ? [name] : [],
  };
}

/** Fresh workers, each the object of one task. */
async function eraseWorkers(
  { reader, inAgent }: EraseStores,
  _needle: Needle,
  at: { readonly place: string | null; readonly write: boolean },
): Promise<StepDone> {
  const { names, next } = await stretch(reader, at.place, {
    table: "Tasks",
    column: "Worker",
    where: `"Worker" LIKE '_%@%'`,
  });
  let found = 0;
  for (const worker of names) {
    for (let place: ObjectPlace | null | "begin" = "begin"; place !== null; ) {
      const done = await inAgent(worker, place === "begin" ? null : place, at.write);
      found += done.found;
      place = done.next;
    }
  }
  return { found, next };
}

/** Chains hold copies of their runs' receipts; only what went wrong has words in it. */
async function eraseChains(
  { reader, inChain }: EraseStores,
  _needle: Needle,
  at: { readonly place: string | null; readonly write: boolean },
): Promise<StepDone> {
  const { names, next } = await stretch(reader, at.place, {
    table: "RunReceipts",
    column: "RootRunId",
    where: `"Error" IS NOT NULL`,
  });
  return { found: await eraseInChains(inChain, names, at.write), next };
}

/** Names of objects out of a stretch of a table: of so many rows at most, and so many names. */
async function stretch(
  reader: Reader,
  place: string | null,
  { table, column, where }: { readonly table: string; readonly column: string; readonly where: string },
): Promise<{ names: string[]; next: string | null }> {
  const after = Number(place ?? 0);
  const end = await reader.first<{ upTo: number | null }>(
    `SELECT max(r) AS "upTo" FROM (SELECT rowid AS r FROM "${table}" WHERE rowid > ? ORDER BY rowid LIMIT ${LOOKED_AT})`,
    after,
  );
  const upTo = end?.upTo ?? null;
  if (upTo === null) return { names: [], next: null };
  const rows = await reader.all<{ row: number; name: string }>(
    `SELECT rowid AS "row", "${column}" AS "name" FROM "${table}" WHERE rowid > ? AND rowid <= ? AND ${where} ORDER BY rowid LIMIT ${OBJECTS_AT_ONCE}`,
    after,
    upTo,
  );
  const last = rows.length === OBJECTS_AT_ONCE ? rows.at(-1) : undefined;
  return { names: [...new Set(rows.map(({ name }) => name))], next: String(last?.row ?? upTo) };
}

async function eraseInChains(
  inChain: EraseStores["inChain"],
  roots: readonly string[],
  write: boolean,
): Promise<number> {
  let found = 0;
  for (const root of new Set(roots)) found += await inChain(root, write);
  return found;
}

/** Files are their agents' work: those whose name holds it are told, and left alone. */
async function listFiles(
  { files }: EraseStores,
  needle: Needle,
  { place }: { place: string | null },
): Promise<StepDone> {
  const listed = await files.list({ limit: FILES_AT_ONCE, ...(place === null ? {} : { cursor: place }) });
  const named = listed.objects.flatMap(({ key }) => (needle.count(key) > 0 ? [key] : []));
  return { found: 0, next: listed.truncated ? listed.cursor : null, files: named };
}
