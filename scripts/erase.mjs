// `npm run erase -- --text TEXT [--dry-run]`: erases one person's data. The instance works in stretches; this calls it until it is done.
import { text as readAll } from "node:stream/consumers";
import { askApi } from "./client/call.mjs";
import { isConfirmed } from "./client/confirm.mjs";
import { runningInstance } from "./client/reach.mjs";
import { HELP, readEraseArguments } from "./erase/arguments.mjs";
import { logToStderr, Problem, runMain } from "./instance/problem.mjs";

const TIMEOUT_MS = 120_000;

async function main() {
  const asked = readEraseArguments(process.argv.slice(2));
  if (asked === "help") {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const text = await textOf(asked);
  const target = runningInstance(asked.options);
  if (!asked.dryRun && !(await isConfirmed(`Erase this from ${target.url} for good?`, asked.yes)))
    throw new Problem("Nothing was erased.");
  report(await work(target, { ...asked, text }));
}

/** `-` is read to the end of the input, where nobody can answer a question any more. */
async function textOf({ text, yes, dryRun }) {
  if (text.trim() !== "-") return text;
  if (process.stdin.isTTY && !yes && !dryRun)
    throw new Problem("With --text - there is nobody to ask: add --yes.");
  const given = (await readAll(process.stdin)).trim();
  if (given === "") throw new Problem("The standard input is empty.");
  return given;
}

async function work(target, { text, dryRun }) {
  for (;;) {
    const body = { text, dryRun };
    const result = await askApi(target, "/api/admin/erase", { method: "POST", body, timeoutMs: TIMEOUT_MS });
    if (result.done) return result;
    logToStderr(`pass ${result.pass}, at ${result.at} ...`);
  }
}

function report({ dryRun, clean, found, remaining, inConfig, files, sha256 }) {
  const lines = Object.entries(found)
    .filter(([, rows]) => rows > 0)
    .map(([part, rows]) => `${part.padEnd(16)} ${rows}`);
  const verdict = dryRun
    ? "Nothing was changed."
    : clean
      ? "Looked at once more: nothing is left."
      : `${remaining} were still there at the end: something keeps writing it. Pause the agents and start again.`;
  process.stdout.write([...lines, verdict, ...mentions(inConfig, files), `sha256 ${sha256}`, ""].join("\n"));
  process.exitCode = dryRun || clean ? 0 : 1;
}

function mentions(inConfig, files) {
  return [
    ...(inConfig.length > 0 ? [`The config of ${inConfig.join(", ")} names it; push another one.`] : []),
    ...files.map((file) => `A file is named after it: ${file}`),
  ];
}

runMain(main);
