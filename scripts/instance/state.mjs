import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the scripts remember about an instance, beside its data: hashes of what was last applied to it. */
const fileName = "parley.json";

/** Reads the notes; none or broken ones are no notes, and the work they would have saved is done again. */
export function readNotes(stateDir) {
  try {
    return JSON.parse(readFileSync(join(stateDir, fileName), "utf8"));
  } catch {
    return {};
  }
}

/** Adds to the notes; renamed into place so that a kill leaves the old ones or the new ones. */
export function addNotes(stateDir, notes) {
  mkdirSync(stateDir, { recursive: true });
  const path = join(stateDir, fileName);
  writeFileSync(`${path}.new`, `${JSON.stringify({ ...readNotes(stateDir), ...notes }, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}

export const hashText = (text) => createHash("sha256").update(text).digest("hex");

/** One hash over the names and contents of the files under the folders (or of single files). */
export function hashFiles(paths, skip = () => false) {
  const hash = createHash("sha256");
  for (const path of paths) addTo(hash, path, skip);
  return hash.digest("hex");
}

function addTo(hash, path, skip) {
  const entries = listFolder(path);
  if (entries === null) return void hash.update(`${path}\0`).update(readFileSync(path)).update("\0");
  for (const name of entries) {
    if (!skip(name)) addTo(hash, join(path, name), skip);
  }
}

function listFolder(path) {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (error.code === "ENOTDIR") return null;
    throw error;
  }
}
