/** wrangler.toml with what a deployment adds to it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { parse } from "smol-toml";
import { root } from "../instance/paths.mjs";
import { Problem } from "../instance/problem.mjs";

/** Found or made by name, or what the code relies on; a file could only contradict that. */
const OURS = [
  "alias",
  "name",
  "main",
  "account_id",
  "d1_databases",
  "kv_namespaces",
  "r2_buckets",
  "durable_objects",
  "migrations",
  "triggers",
  "version_metadata",
];

/**
 * The config of one instance's Worker: wrangler.toml, above it the keys of `wrangler.<name>.toml` (yours, optional), above
 * both the names and ids of the instance.
 * @param target `{names, ownConfig, accountId, databaseId, namespaceId}`, ids null where nothing is deployed
 * @param folder where the file will lie; its paths are relative to that
 */
export function workerConfig(target, folder) {
  const base = readToml(join(root, "wrangler.toml"));
  const { dev: _local, ...kept } = base;
  const own = ownKeys(target.ownConfig);
  const at = (path) => `./${relative(folder, join(root, path))}`;
  const [database] = base.d1_databases;
  const [namespace] = base.kv_namespaces;
  return {
    ...kept,
    ...own,
    name: target.names.worker,
    main: at(base.main),
    alias: Object.fromEntries(Object.entries(base.alias ?? {}).map(([from, to]) => [from, at(to)])),
    ...(target.accountId === null ? {} : { account_id: target.accountId }),
    d1_databases: [
      {
        ...database,
        database_name: target.names.database,
        database_id: target.databaseId ?? database.database_id,
        migrations_dir: at(database.migrations_dir),
      },
    ],
    kv_namespaces: [{ ...namespace, id: target.namespaceId ?? namespace.id }],
    r2_buckets: [
      { binding: "FILES", bucket_name: target.names.files },
      { binding: "TEXTS", bucket_name: target.names.texts },
    ],
  };
}

/** Writes it; answers the path. */
export function writeWorkerConfig(target, file) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(workerConfig(target, dirname(file)), null, 2)}\n`);
  return file;
}

function ownKeys(file) {
  if (!existsSync(file)) return {};
  const own = readToml(file);
  const taken = OURS.filter((key) => key in own);
  if (taken.length === 0) return own;
  throw new Problem(
    `${basename(file)} sets ${taken.join(", ")}, which npm run deploy sets itself. Take it out there.`,
  );
}

function readToml(path) {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Problem(`${relative(root, path)} cannot be read: ${error.message}`);
  }
}
