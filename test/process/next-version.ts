/** Another build of the product, as a deploy brings one: another version, and a table more in D1. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import { namesOf } from "../../scripts/deploy/deployment.mjs";
import { workerConfig } from "../../scripts/deploy/worker-config.mjs";
import { runWrangler } from "../../scripts/instance/wrangler.mjs";

const root = join(import.meta.dirname, "..", "..");
export const NEXT_VERSION = "9.9.9-next";

/** Puts it into the folder. @returns the path of its wrangler config, for `startInstance` */
export function writeNextVersion(folder: string): string {
  const migrations = join(folder, "next-migrations");
  mkdirSync(migrations, { recursive: true });
  writeFileSync(
    join(migrations, "9999_next.sql"),
    'CREATE TABLE "NextVersion" ("Id" integer PRIMARY KEY);\n',
  );
  const entry = join(folder, "next.ts");
  writeFileSync(entry, SOURCE.replaceAll("WORKER", join(root, "workers", "index.ts")));
  const ids = { accountId: null, databaseId: null, namespaceId: null };
  const config = workerConfig({ names: namesOf("parley"), ownConfig: "", ...ids }, folder);
  const [database] = z.array(z.looseObject({})).parse(config.d1_databases);
  const path = join(folder, "next.json");
  const d1 = [{ ...database, migrations_dir: relative(folder, migrations) }];
  writeFileSync(path, JSON.stringify({ ...config, main: "next.ts", d1_databases: d1 }));
  return path;
}

const SOURCE = `
import product from "WORKER";
export * from "WORKER";
const isHealth = (request) => new URL(request.url).pathname === "/api/health";
export default {
  ...product,
  fetch: (request, env, context) =>
    isHealth(request) ? Response.json({ ok: true, version: "${NEXT_VERSION}" }) : product.fetch(request, env, context),
};
`;

/** Brings the database to it, as a deploy does before the Worker comes. */
export async function migrateToNext(config: string, stateDir: string): Promise<void> {
  await runWrangler({
    name: "next version's migrations",
    cwd: root,
    mark: "parley-next-version",
    registry: join(stateDir, "next-registry"),
    args: ["d1", "migrations", "apply", "DB", "--local", "--persist-to", stateDir, "--config", config],
  });
}
