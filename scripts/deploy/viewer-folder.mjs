/** The viewer as a Pages project of its own name, bound to its own Worker: Pages reads its config only from a folder. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { viewerFolder } from "../instance/viewer.mjs";

const TAKEN = ["functions", "worker-door.ts", "package.json"];

/** Puts everything but the built pages there. */
export function fillViewerFolder({ names, viewerFolder: folder }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of TAKEN) cpSync(join(viewerFolder, name), join(folder, name), { recursive: true });
  const base = parse(readFileSync(join(viewerFolder, "wrangler.toml"), "utf8"));
  const config = { ...base, name: names.viewer, services: [{ binding: "API", service: names.worker }] };
  writeFileSync(join(folder, "wrangler.json"), `${JSON.stringify(config, null, 2)}\n`);
}

/** Adds the built pages. */
export function addPages({ viewerFolder: folder }) {
  cpSync(join(viewerFolder, "dist"), join(folder, "dist"), { recursive: true });
}
