// `npm run deploy`: an instance in a Cloudflare account, and `-- --dry-run`, which needs none.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { HELP, readArguments } from "./deploy/arguments.mjs";
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { nodeBinary } from "./instance/paths.mjs";
import { logToStderr, Problem, runMain } from "./instance/problem.mjs";

async function main() {
  const asked = readArguments(process.argv.slice(2));
  if (!asked.ok) throw new Problem(`${asked.message} See npm run deploy -- --help`);
  if (asked.command === "help") return void process.stdout.write(`${HELP}\n`);
  await ensureInstalled(logToStderr);
  if (!process.features.typescript) return onOwnNode();
  const { main: run } = await import("./deploy/main.mjs");
  await run(asked);
}

/** After a first install on an old Node: the check of configs is TypeScript. */
function onOwnNode() {
  const script = fileURLToPath(import.meta.url);
  const { status } = spawnSync(nodeBinary(), [script, ...process.argv.slice(2)], { stdio: "inherit" });
  process.exit(status ?? 1);
}

runMain(main);
