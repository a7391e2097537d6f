import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "./lock.mjs";
import { packageBin, root } from "./paths.mjs";
import { Problem } from "./problem.mjs";

const MIN_NODE = 20;

/**
 * Installs the packages of the lock file when any is missing or of another version. Runs on plain Node 20,
 * before any package can be imported.
 */
export async function ensureInstalled(log) {
  if (Number.parseInt(process.versions.node, 10) < MIN_NODE) {
    throw new Problem(`Node ${process.versions.node} is too old. Install Node ${MIN_NODE} or later.`);
  }
  if (installed()) return;
  await withLock(`install ${root}`, async () => {
    if (installed()) return;
    log("installing packages with npm ci (once, about half a minute) ...");
    const code = await runNpm(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
    if (code !== 0 || !installed()) {
      throw new Problem(
        `npm ci failed (exit code ${code}). Its messages stand above; check the network and npm's registry ` +
          "setting, then start again. Install scripts must be allowed (no --ignore-scripts).",
      );
    }
  });
}

function installed() {
  const now = readLock(join(root, "node_modules", ".package-lock.json"));
  const wanted = readLock(join(root, "package-lock.json"));
  if (now === null || wanted === null || !existsSync(packageBin("node"))) return false;
  return missingPackages(wanted, now).length === 0;
}

/**
 * The paths of required packages that are absent or of another version.
 * @param wanted the parsed package-lock.json
 * @param now the parsed lock that npm keeps inside node_modules
 */
export function missingPackages(wanted, now) {
  return Object.entries(wanted.packages ?? {})
    .filter(
      ([path, entry]) => path !== "" && !entry.link && !entry.optional && !entry.devOptional && !entry.peer,
    )
    .filter(([path, entry]) => now.packages?.[path]?.version !== entry.version)
    .map(([path]) => path);
}

function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** npm's stdout goes to our stderr, because stdout is read by programs. */
function runNpm(args) {
  const script = process.env.npm_execpath;
  const viaNode = script?.endsWith("js") ?? false;
  const command = viaNode ? process.execPath : "npm";
  return new Promise((settle) => {
    const child = spawn(command, viaNode ? [script, ...args] : args, { cwd: root, stdio: ["ignore", 2, 2] });
    child.once("error", () => settle("npm not found"));
    child.once("exit", (code) => settle(code ?? "killed"));
  });
}
