/** Erasing in an agent's object: its tables, its old documents, and what it holds in memory. */

import { storeDocuments, storedDocuments } from "../agent/agent.ts";
import type { ActiveRun } from "../engine/active-run.ts";
import { loadConversation } from "../engine/conversation.ts";
import { countChars } from "../engine/transcript.ts";
import { resultChars, type World } from "../engine/world.ts";
import { ownJson } from "../journal/database.ts";
import { type ErasedInObject, eraseInObject, type ObjectPlace } from "./erase-object.ts";
import { eraseOwnJson } from "./erase-value.ts";
import { eraseVersions } from "./erase-versions.ts";
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
  const old = from === null ? db.transaction(() => eraseDocuments(world, needle, write)) : 0;
  const erased = db.transaction(() => eraseInObject(db, needle, { from, write }));
  const last = erased.next === null;
  if (last && write) eraseInMemory(world, needle);
  // What is written down was counted; a run under way may hold more than that.
  const held = last && !write ? heldInMemory(world, needle) : 0;
  const inConfig = isNamed(inForce(world), needle);
  return { ...erased, found: erased.found + old + held, inConfig };
}

const isWorker = ({ objectName }: World) => objectName.indexOf("@") > 0;

/** A worker's own copy has more in it than it is told of later. */
function inForce(world: World): unknown {
  const documents = storedDocuments(world);
  return isWorker(world) ? documents : (documents?.agent ?? null);
}

function isNamed(value: unknown, needle: Needle): boolean {
  return needle.count(JSON.stringify(value)) > 0;
}

/** Old versions; all of them where none is in force. A worker without a run takes its agent's documents anew with the next. */
function eraseDocuments(world: World, needle: Needle, write: boolean): number {
  const { db } = world;
  const documents = storedDocuments(world);
  const spareNewest = documents !== null && !isWorker(world);
  const versions = eraseVersions(db, needle, { write, spareNewest });
  if (!isWorker(world) || world.active.size > 0 || !isNamed(documents, needle)) return versions;
  if (write) storeDocuments(world, null);
  return versions + 1;
}

function eraseInMemory(world: World, needle: Needle): void {
  const conversation = world.conversation();
  Object.assign(conversation, loadConversation(world.db, conversation.id, resultChars(world)));
  for (const run of world.active.values()) {
    run.record = erasedCopy(run.record, needle);
    run.messages = erasedCopy(run.messages, needle);
    run.chars = countChars(run.messages);
    run.openStep = erasedCopy(run.openStep, needle);
    run.recentCalls.splice(0, run.recentCalls.length, ...run.recentCalls.map((calls) => needle.erase(calls)));
  }
}

function erasedCopy<T>(value: T, needle: Needle): T {
  return ownJson<T>(eraseOwnJson(JSON.stringify(value), needle));
}

/** In how many runs, and in the conversation. */
function heldInMemory(world: World, needle: Needle): number {
  const { summary, turns } = world.conversation();
  const runs = [...world.active.values()].map(({ record, messages, openStep, recentCalls }: ActiveRun) => ({
    record,
    messages,
    openStep,
    recentCalls,
  }));
  return [...runs, { summary, turns }].filter((value) => changes(value, needle)).length;
}

/** Ids and the like, which stay, do not count. */
function changes(value: unknown, needle: Needle): boolean {
  const json = JSON.stringify(value);
  return needle.count(json) > 0 && eraseOwnJson(json, needle) !== json;
}
