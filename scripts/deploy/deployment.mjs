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

/**
 * @param folder where deployments are kept
 * @param ownConfig path of the file of own keys, which need not exist
 * @returns paths, and `notes`: `{accountId, databaseId, namespaceId, viewerUrl, workerUrl, configFile, configHash}`, each
 *   absent until known. Losing them loses nothing: all but the last two is found again by name
 */
export function openDeployment(folder, name, ownConfig = ownConfigOf(name)) {
  const own = join(folder, name);
  const notesFile = join(own, "deployment.json");
  mkdirSync(own, { recursive: true, mode: 0o700 });
  let notes = existsSync(notesFile) ? JSON.parse(readFileSync(notesFile, "utf8")) : {};
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
