/** Erasing in what the hub has written down: its tables, and old documents of the instance. */
import { readInstance } from "../hub/directory.ts";
import type { Database } from "../journal/database.ts";
import type { ErasedInAgent, EraseRequest } from "./erase-agent.ts";
import { eraseInObject } from "./erase-object.ts";
import { eraseVersions } from "./erase-versions.ts";
import type { Needle } from "./needle.ts";

/** A stretch of it. The instance's document in force stays as it is. */
export function eraseInHub(
  db: Database,
  needle: Needle,
  { from, write }: Omit<EraseRequest, "text">,
): ErasedInAgent {
  return db.transaction(() => {
    const instance = readInstance(db);
    const versions = { write, spareNewest: instance !== null };
    const old = from === null ? eraseVersions(db, needle, versions) : 0;
    const erased = eraseInObject(db, needle, { from, write });
    const inConfig = needle.count(JSON.stringify(instance)) > 0;
    return { ...erased, found: erased.found + old, inConfig };
  });
}
