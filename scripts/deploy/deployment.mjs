/** What this machine knows of a deployed instance: `.parley/<name>/`, not in git. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../instance/paths.mjs";

/** What belongs to an instance, by name: a second one in the same account shares nothing with the first. */
export function namesOf(name) {
  return {
    worker: name,
    database: name,
    namespace: `${name}-config`,
    files: `${name}-files`,
    texts: `${name}-texts`,
    viewer: `${name}-ui`,
  };
}

/** The file of one's own keys for the Worker, such as a domain; it may be in git. */
export const ownConfigOf = (name) => join(root, `wrangler.${name}.toml`);

const notesFileOf = (folder, name) => join(folder, name, "deployment.json");

/** The notes alone, of an instance that need not be deployed. */
export function readNotes(folder, name) {
  const file = notesFileOf(folder, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/**
 * @param folder where deployments are kept
 * @param ownConfig path of the file of own keys, which need not exist
 * @returns paths, and `notes`: `{accountId, databaseId, namespaceId, viewerUrl, workerUrl, ours, configFile, configHash}`, each
 *   absent until known. Without them the ids are found again by name; what is the instance's own (`ours`) by its Worker, or by
 *   asking; and which config was sent is forgotten
 */
export function openDeployment(folder, name, ownConfig = ownConfigOf(name)) {
  const own = join(folder, name);
  const notesFile = notesFileOf(folder, name);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  let notes = readNotes(folder, name);
  return {
    name,
    names: namesOf(name),
    ownConfig,
    folder: own,
    secretsFile: join(own, "secrets"),
    workerConfig: join(own, "wrangler.json"),
    viewerFolder: join(own, "viewer"),
    notes: () => notes,
    note: (more) => {
      notes = { ...notes, ...more };
      writeFileSync(`${notesFile}.new`, `${JSON.stringify(notes, null, 2)}\n`);
      renameSync(`${notesFile}.new`, notesFile);
    },
  };
}
