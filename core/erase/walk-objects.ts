/** Goes over objects whose names come in pages out of several sources, so many calls of them at a time. */
import { ownJson } from "../journal/database.ts";
import type { ErasedInAgent } from "./erase-agent.ts";
import type { ErasedInObject, ObjectPlace } from "./erase-object.ts";

/** Calls of objects in one step. */
const CALLS = 25;

export interface NamePage {
  readonly names: readonly string[];
  /** Null after the source's last page. */
  readonly next: string | null;
}

/** Names of objects; may only have work done of its own and name none. */
export type NameSource = (place: string | null) => Promise<NamePage>;

interface WalkPlace {
  readonly source: number;
  /** Of the page that is gone over. */
  readonly page: string | null;
  /** The object that is done, or, with `inner`, the one at work. */
  readonly name: string;
  readonly inner: ObjectPlace | null;
}

const START: WalkPlace = { source: 0, page: null, name: "", inner: null };

interface Walked {
  readonly found: number;
  readonly next: string | null;
  readonly inConfig: readonly string[];
}

type Visit = (name: string, from: ObjectPlace | null) => Promise<ErasedInObject & Partial<ErasedInAgent>>;

/** One step, within one page. Rejects when a source or an object does; nothing is lost when it is made again. */
export async function walkObjects(
  sources: readonly NameSource[],
  visit: Visit,
  written: string | null,
): Promise<Walked> {
  const start = written === null ? START : ownJson<WalkPlace>(written);
  const source = sources[start.source];
  if (source === undefined) return { found: 0, next: null, inConfig: [] };
  const page = await source(start.page);
  const names = [...new Set(page.names)].sort();
  const inConfig = new Set<string>();
  let [place, found] = [start, 0];
  for (let calls = 0; calls < CALLS; calls += 1) {
    const name = nextName(names, place);
    if (name === undefined)
      return { found, next: afterPage(sources.length, place, page), inConfig: [...inConfig] };
    const done = await visit(name, name === place.name ? place.inner : null);
    found += done.found;
    if (done.inConfig === true) inConfig.add(name);
    place = { ...place, name, inner: done.next };
  }
  return { found, next: JSON.stringify(place), inConfig: [...inConfig] };
}

function nextName(names: readonly string[], { name, inner }: WalkPlace): string | undefined {
  return names.find((each) => (inner === null ? each > name : each >= name));
}

function afterPage(sources: number, { source }: WalkPlace, { next }: NamePage): string | null {
  if (next !== null) return JSON.stringify({ ...START, source, page: next });
  return source + 1 < sources ? JSON.stringify({ ...START, source: source + 1 }) : null;
}
