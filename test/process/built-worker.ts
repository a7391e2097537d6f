import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { shortHash, withLock } from "../../scripts/instance/lock.mjs";
import { hashFiles } from "../../scripts/instance/state.mjs";
import { runWrangler } from "../../scripts/instance/wrangler.mjs";

const root = join(import.meta.dirname, "..", "..");
const SOURCES = ["core", "durable-objects", "protocols", "tools", "workers", "migrations"];
const FILES = ["package-lock.json", "wrangler.toml"];

/**
 * The wrangler config of the Worker as `wrangler.toml` builds it, bundled once for all instances of a test run: each
 * would take seconds for it. `start.test.ts` starts without it.
 */
export async function builtWorker(): Promise<string> {
  const sources = [...SOURCES, ...FILES].map((name) => join(root, name));
  const folder = join(tmpdir(), `parley-built-${shortHash(root + hashFiles(sources))}`);
  const config = join(folder, "wrangler.json");
  await withLock(folder, async () => {
    if (!existsSync(config)) await build(folder);
  });
  return config;
}

async function build(folder: string): Promise<void> {
  const making = `${folder}.new`;
  rmSync(making, { recursive: true, force: true });
  const args = ["deploy", "--dry-run", "--config", join(root, "wrangler.toml"), "--outdir", making];
  const mark = `parley-build-${shortHash(folder)}`;
  await runWrangler({ name: "build", cwd: root, mark, registry: join(making, "registry"), args });
  const { alias: _, minify: __, ...rest } = parse(readFileSync(join(root, "wrangler.toml"), "utf8"));
  writeFileSync(
    join(making, "wrangler.json"),
    JSON.stringify({ ...rest, main: "index.js", no_bundle: true }),
  );
  renameSync(making, folder);
}
