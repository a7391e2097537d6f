import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { addNotes, hashFiles, readNotes } from "./state.mjs";
import { runWrangler } from "./wrangler.mjs";

/** Brings the instance's D1 up to date; skipped while the migrations are those of the last start. */
export async function applyMigrations({ stateDir, mark, registry, log }) {
  const migrations = hashFiles([join(root, "migrations")]);
  if (readNotes(stateDir).migrations === migrations && existsSync(join(stateDir, "v3", "d1"))) return;
  log("applying database migrations ...");
  await runWrangler({
    name: "migrations",
    cwd: root,
    mark,
    registry,
    args: [
      "d1",
      "migrations",
      "apply",
      "DB",
      "--local",
      "--persist-to",
      stateDir,
      "--config",
      join(root, "wrangler.toml"),
    ],
  });
  rmSync(registry, { recursive: true, force: true });
  addNotes(stateDir, { migrations });
}
