/** Erasing in an agent's object: its tables, its old documents, and what it holds in memory. */

import { loadConversation } from "../engine/conversation.ts";
import type { World } from "../engine/world.ts";
import { type Database, int, ownJson, text } from "../journal/database.ts";
import { type ErasedInObject, eraseInObject, type ObjectPlace } from "./erase-object.ts";
import { eraseOwnJson } from "./erase-value.ts";
import type { Needle } from "./needle.ts";

export interface EraseRequest {
  readonly text: string;
  readonly from: ObjectPlace | null;
  /** False only counts. */
  readonly write: boolean;
}

export type ErasedInAgent = ErasedInObject & {
  /** Whether its document, which stays as it is, names the text. */
  readonly inConfig: boolean;
};

/** A stretch of the object. Runs under way go on with what they held before, but for their messages. */
export function eraseInAgent(
  world: World,
  needle: Needle,
  { from, write }: Omit<EraseRequest, "text">,
): ErasedInAgent {
  const { db } = world;
  const old = from === null ? db.transaction(() => dropVersions(db, needle, write)) : 0;
  const erased = db.transaction(() => eraseInObject(db, needle, { from, write }));
  if (write && erased.next === null) eraseInMemory(world, needle);
  const inConfig = needle.count(JSON.stringify(world.documents()?.agent ?? null)) > 0;
  return { ...erased, found: erased.found + old, inConfig };
}

function eraseInMemory(world: World, needle: Needle): void {
  const conversation = world.conversation();
  const cap = world.documents()?.agent.limits.toolResultChars ?? 0;
  if (cap > 0) Object.assign(conversation, loadConversation(world.db, conversation.id, cap));
  for (const run of world.active.values()) {
    run.record = erasedCopy(run.record, needle);
    run.messages = erasedCopy(run.messages, needle);
  }
}

function erasedCopy<T>(value: T, needle: Needle): T {
  return ownJson<T>(eraseOwnJson(JSON.stringify(value), needle));
}

/** Versions of a config document that name it go, but for the newest. Answers how many held it. */
export function dropVersions(db: Database, needle: Needle, write: boolean): number {
  const rows = db.all(
    "SELECT version, document FROM ConfigVersions WHERE version < (SELECT max(version) FROM ConfigVersions)",
  );
  const named = rows.filter((row) => needle.count(text(row, "document")) > 0);
  if (write)
    for (const row of named) db.run("DELETE FROM ConfigVersions WHERE version = ?", int(row, "version"));
  return named.length;
}
