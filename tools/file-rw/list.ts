import { fail, ok, type ToolResult } from "../../core/tool.ts";
import type { FileConfig } from "./config.ts";
import type { Mask } from "./masked.ts";
import { checkPath } from "./path.ts";
import { mayOpen, type Place } from "./place.ts";
import type { FilePage, FileStore } from "./store.ts";

/** Entries on one page, also when more are asked for. */
export const MAX_LIST_ENTRIES = 200;
/** Characters of a page; entries beyond are on the next one. */
const PAGE_ROOM = 17_000;
/** Sorts after every character that a name may hold, so that a page can start behind a whole folder. */
const BEHIND_ALL = "\u{10ffff}";
const MAX_CURSOR_CHARS = 1_000;

export interface ListRequest {
  readonly limit: number;
  /** The last name that was looked at, folders with a slash; names a place in this folder, whatever it says. */
  readonly cursor: string | undefined;
}

type Entry =
  | { readonly kind: "folder"; readonly name: string }
  | { readonly kind: "file"; readonly name: string; readonly size: number; readonly modified: string };

/**
 * The files and folders directly in a folder, in byte order. Shown is what the agent could also open; a
 * page can therefore be short, and there is more as long as `cursor` is not null.
 */
export async function listFolder(
  files: FileStore,
  folder: Place,
  request: ListRequest & { readonly config: FileConfig; readonly mask: Mask },
): Promise<ToolResult> {
  const after = request.cursor ?? "";
  if (after.length > MAX_CURSOR_CHARS || !after.isWellFormed()) {
    return fail("bad_cursor: Use the cursor of the page before, or none to start again.");
  }
  const page = await files.list({
    prefix: folder.key,
    delimiter: "/",
    limit: Math.min(request.limit, MAX_LIST_ENTRIES),
    ...(after === "" ? {} : { startAfter: folder.key + (after.endsWith("/") ? after + BEHIND_ALL : after) }),
  });
  const entries = entriesOf(page, folder.key).map((entry) => masked(entry, folder, request.mask));
  const taken = entries.slice(0, fittingCount(entries));
  const more = page.truncated || taken.length < entries.length;
  const shown = taken.filter((entry) => isOpenable(entry, request.config));
  return ok(
    JSON.stringify({
      path: folder.path,
      folders: shown.flatMap((entry) => (entry.kind === "folder" ? [entry.shown] : [])),
      files: shown.flatMap((entry) => (entry.kind === "file" ? [fileRow(entry)] : [])),
      cursor: more ? (taken.at(-1)?.shown ?? null) : null,
    }),
  );
}

function entriesOf(page: FilePage, prefix: string): Entry[] {
  const folders = page.delimitedPrefixes.map(
    (key): Entry => ({ kind: "folder", name: key.slice(prefix.length) }),
  );
  const files = page.objects.map(
    ({ key, size, uploaded }): Entry => ({
      kind: "file",
      name: key.slice(prefix.length),
      size,
      modified: uploaded.toISOString(),
    }),
  );
  return [...folders, ...files].sort((left, right) => compareBytes(left.name, right.name));
}

type Shown = Entry & {
  /** The name without secrets; the whole masked path when a secret goes on across the folder's slash. */
  readonly shown: string;
};

function masked(entry: Entry, folder: Place, mask: Mask): Shown {
  const before = folder.path === "" ? "" : `${folder.path}/`;
  const path = mask(before + entry.name);
  return { ...entry, shown: path.startsWith(before) ? path.slice(before.length) : path };
}

/** Order of UTF-8 bytes, which is that of code points and not that of JavaScript's strings. */
function compareBytes(left: string, right: string): number {
  const a = Array.from(left, codePoint);
  const b = Array.from(right, codePoint);
  const differs = a.findIndex((point, index) => point !== b[index]);
  return differs === -1 ? a.length - b.length : (a[differs] ?? 0) - (b[differs] ?? -1);
}

const codePoint = (character: string) => character.codePointAt(0) ?? 0;

/** How many entries fit on a page; always one, or paging would stand still. */
function fittingCount(entries: readonly Shown[]): number {
  let room = PAGE_ROOM;
  const beyond = entries.findIndex((entry) => {
    room -= JSON.stringify(entry.kind === "folder" ? entry.shown : fileRow(entry)).length + 1;
    return room < 0;
  });
  return beyond === -1 ? entries.length : Math.max(beyond, 1);
}

/** Names that came into the bucket by other ways may break the guard's rules; those are not shown. */
function isOpenable(entry: Entry, config: FileConfig): boolean {
  if (entry.kind === "folder") return checkPath(entry.name.slice(0, -1)).ok;
  const checked = checkPath(entry.name);
  return checked.ok && checked.path === entry.name && mayOpen(entry.name, config);
}

function fileRow({ shown, size, modified }: Extract<Shown, { kind: "file" }>) {
  return { name: shown, size, modified };
}
