/** What is gone over, in its order, and how much of it at a time. */
import { ownJson } from "../journal/database.ts";
import type { Reader } from "../record/reader.ts";
import type { ErasedInAgent } from "./erase-agent.ts";
import type { ErasedInObject, ObjectPlace } from "./erase-object.ts";
import { eraseRows } from "./erase-record.ts";
import { eraseStoredTexts } from "./erase-stored-texts.ts";
import { chainSources, workerSources } from "./name-sources.ts";
import type { Needle } from "./needle.ts";
import { ERASED_TABLES } from "./record-tables.ts";
import { walkObjects } from "./walk-objects.ts";

export interface EraseStores {
  readonly reader: Reader;
  readonly db: D1Database;
  readonly texts: R2Bucket;
  readonly files: R2Bucket;
  /** Ids of all agents that are or were there, sorted. */
  readonly agentIds: () => Promise<readonly string[]>;
  /** A stretch of an agent's or a worker's object. */
  readonly inAgent: (name: string, from: ObjectPlace | null, write: boolean) => Promise<ErasedInAgent>;
  /** Fresh workers on an agent's list: those after that one, in order; and more for the list. */
  readonly workersOf: (agentId: string, after: string) => Promise<readonly string[]>;
  readonly noteWorkers: (agentId: string, workers: readonly string[]) => Promise<void>;
  readonly inChain: (rootRunId: string, from: ObjectPlace | null, write: boolean) => Promise<ErasedInObject>;
  readonly inHub: (from: ObjectPlace | null, write: boolean) => Promise<ErasedInAgent>;
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

/** Objects before D1, because what they have not yet delivered would come there afterwards. */
export const PARTS: readonly Part[] = [
  { name: "agents", work: eraseAgents },
  {
    name: "workers",
    work: (stores, _needle, { place, write }) =>
      walkObjects(workerSources(stores), (name, from) => stores.inAgent(name, from, write), place),
  },
  {
    name: "chains",
    work: (stores, _needle, { place, write }) =>
      walkObjects(chainSources(stores), (name, from) => stores.inChain(name, from, write), place),
  },
  {
    name: "liveFeed",
    work: async ({ inHub }, _needle, { place, write }) => {
      const { found, next, inConfig } = await inHub(placeOf(place), write);
      return {
        found,
        next: next === null ? null : JSON.stringify(next),
        inConfig: inConfig ? ["instance"] : [],
      };
    },
  },
  ...ERASED_TABLES.map(
    (table): Part => ({
      name: table.name,
      work: (stores, needle, at) => eraseRows(stores, needle, { table, ...at }),
    }),
  ),
  {
    name: "texts",
    work: ({ texts }, needle, { place, write }) => eraseStoredTexts(texts, needle, { cursor: place, write }),
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
