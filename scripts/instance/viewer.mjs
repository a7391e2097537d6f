import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withLock } from "./lock.mjs";
import { childEnvironment, nodeBinary, packageBin, root } from "./paths.mjs";
import { Problem } from "./problem.mjs";
import { hashFiles } from "./state.mjs";

export const viewerFolder = join(root, "ui");
const built = join(viewerFolder, "dist");
const builtFrom = join(root, ".wrangler", "viewer-built-from");
const notSources = new Set(["dist", ".wrangler", "functions", "node_modules"]);

/**
 * Builds the viewer when its sources changed. Built aside and moved into place, and under a lock, because
 * instances side by side serve the same files.
 */
export async function buildViewer(log) {
  await withLock(`viewer ${root}`, async () => {
    const sources = hashFiles([viewerFolder, join(root, "package-lock.json")], (name) =>
      notSources.has(name),
    );
    if (existsSync(built) && existsSync(builtFrom) && readFileSync(builtFrom, "utf8") === sources) return;
    log("building the viewer ...");
    const next = join(viewerFolder, ".wrangler", "dist-next");
    await runVite(["build", viewerFolder, "--outDir", next, "--emptyOutDir", "--logLevel", "warn"]);
    rmSync(built, { recursive: true, force: true });
    renameSync(next, built);
    mkdirSync(dirname(builtFrom), { recursive: true });
    writeFileSync(builtFrom, sources);
  });
}

function runVite(args) {
  const environment = childEnvironment({ NODE_ENV: "production" });
  return new Promise((settle, reject) => {
    const child = spawn(nodeBinary(), [packageBin("vite"), ...args], {
      cwd: root,
      env: environment,
      stdio: ["ignore", 2, 2],
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) settle();
      else
        reject(new Problem(`The viewer could not be built (exit code ${code}); the messages stand above.`));
    });
  });
}
