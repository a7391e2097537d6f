// `npm run import -- FILE`: takes the record of an older instance over. It runs on the Node of the package `node`,
// which brings SQLite; started on another one it hands over to that.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { reachInstance } from "./client/reach.mjs";
import { HELP, readImportArguments } from "./import/arguments.mjs";
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { nodeBinary } from "./instance/paths.mjs";
import { logToStderr, runMain } from "./instance/problem.mjs";

const WITH_SQLITE = 24;

async function main() {
  const asked = readImportArguments(process.argv.slice(2));
  if (asked === "help") {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  await ensureInstalled(logToStderr);
  if (Number.parseInt(process.versions.node, 10) < WITH_SQLITE) return handOver();
  const { openSource } = await import("./import/source.mjs");
  const source = openSource(asked.file);
  try {
    await importInto(asked, source);
  } finally {
    source.close();
  }
}

async function handOver() {
  const child = spawn(nodeBinary(), process.argv.slice(1), { stdio: "inherit" });
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => child.kill(name));
  const [code] = await once(child, "exit");
  process.exitCode = code ?? 1;
}

async function importInto({ options, again }, source) {
  const { importSource } = await import("./import/import-source.mjs");
  const { target, end } = await reachInstance(options);
  try {
    for (const line of await importSource(target, source, again)) process.stdout.write(`${line}\n`);
  } finally {
    await end();
  }
}

runMain(main);
