/** What a new config would change, for people to read. Pure; documents are checked ones, so secrets stand in them by name. */
import { isRecord } from "./raw.ts";

export type ChangeKind = "added" | "changed" | "removed";

export interface Change {
  /** From the document's top, `tools.Mail.from`; items with an id are named by it: `scheduler[morning].cron`. A list whose order changes shows the ids. */
  readonly path: string;
  readonly kind: ChangeKind;
  /** A text as it is, anything else as JSON; null where there is none. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface DocumentChange {
  /** An agent's id; null for the instance's document. */
  readonly agentId: string | null;
  readonly kind: ChangeKind;
  readonly changes: readonly Change[];
}

interface Config {
  readonly instance: object;
  readonly agents: readonly { readonly agentId: string }[];
}

/** The documents that differ: the instance's first, then the agents' by id. Empty when nothing does. */
export function diffConfig(before: Config, after: Config): DocumentChange[] {
  const documents = (config: Config) =>
    new Map<string | null, object>([
      [null, config.instance],
      ...config.agents.map((agent): [string, object] => [agent.agentId, agent]),
    ]);
  const [old, fresh] = [documents(before), documents(after)];
  const agentIds = [...new Set([...old.keys(), ...fresh.keys()])].filter((id) => id !== null).sort();
  return [null, ...agentIds].flatMap((agentId) => {
    const [was, is] = [old.get(agentId), fresh.get(agentId)];
    const changes = diffDocuments(was ?? {}, is ?? {});
    const kind = was === undefined ? "added" : is === undefined ? "removed" : "changed";
    return changes.length === 0 ? [] : [{ agentId, kind, changes }];
  });
}

/** In the order of the keys. */
export function diffDocuments(before: unknown, after: unknown, path = ""): Change[] {
  if (canonical(before) === canonical(after)) return [];
  const [old, fresh] = [keyed(before), keyed(after)];
  if (old === null || fresh === null) return [changeAt(path, before, after)];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  const below = keys.flatMap((key) =>
    diffDocuments(
      old.get(key),
      fresh.get(key),
      path === "" || key.startsWith("[") ? path + key : `${path}.${key}`,
    ),
  );
  const isMoved =
    Array.isArray(before) && Array.isArray(after) && isOrderChanged([...old.keys()], [...fresh.keys()]);
  return isMoved ? [changeAt(path, before.map(idOf), after.map(idOf)), ...below] : below;
}

/** Of those that are in both. */
function isOrderChanged(old: readonly string[], fresh: readonly string[]): boolean {
  const kept = fresh.filter((key) => old.includes(key));
  return old.filter((key) => fresh.includes(key)).some((key, index) => kept[index] !== key);
}

function changeAt(path: string, before: unknown, after: unknown): Change {
  const kind = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  return { path, kind, before: shown(before), after: shown(after) };
}

/** What stands below by name: keys of an object, ids of a list whose items have them. Null for anything else. */
function keyed(value: unknown): Map<string, unknown> | null {
  if (isRecord(value)) return "$secret" in value ? null : new Map(Object.entries(value));
  if (!Array.isArray(value) || value.length === 0) return null;
  const items = value.map((item: unknown): [string | null, unknown] => [idOf(item), item]);
  const names = items.flatMap(([id]) => (id === null ? [] : [id]));
  if (new Set(names).size < items.length) return null;
  return new Map(items.map(([id, item]) => [`[${id}]`, item]));
}

function idOf(item: unknown): string | null {
  if (!isRecord(item)) return null;
  const id = item.id ?? item.jobId ?? item.name;
  return typeof id === "string" ? id : null;
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** JSON whose keys are sorted: the same for documents that say the same. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, item: unknown) =>
      isRecord(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
    ) ?? ""
  );
}
