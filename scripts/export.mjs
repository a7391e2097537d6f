// `npm run export -- ROOTRUNID [FILE]`: a chain as one JSON document, written as it comes.
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { nothingAnswers } from "./client/call.mjs";
import { runningInstance } from "./client/reach.mjs";
import { HELP, readExportArguments } from "./export/arguments.mjs";
import { logToStderr, Problem, runMain } from "./instance/problem.mjs";

async function main() {
  const asked = readExportArguments(process.argv.slice(2));
  if (asked === "help") {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  await exportTo(runningInstance(asked.options), asked);
}

async function exportTo(target, { rootRunId, file }) {
  const body = await chainOf(target, rootRunId);
  try {
    if (file === undefined) await pipeline(body, process.stdout, { end: false });
    else await replaceFile(file, body);
  } catch (error) {
    throw new Problem(`The export broke off (${error.message}). Run the command again.`);
  }
  if (file !== undefined) logToStderr(`${file} has the chain.`);
}

/** What was there stays until the new one is whole. */
async function replaceFile(file, body) {
  const part = `${file}.part`;
  try {
    await pipeline(body, createWriteStream(part));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function chainOf(target, rootRunId) {
  const path = `/api/chains/${encodeURIComponent(rootRunId)}/export`;
  const headers = { authorization: `Bearer ${target.token}` };
  const response = await fetch(target.url + path, { headers, redirect: "error" }).catch((error) => {
    throw new Problem(nothingAnswers(target, error));
  });
  if (response.ok && response.body !== null) return response.body;
  const answer = await response.json().catch(() => null);
  throw new Problem(
    `${target.url} answered ${response.status}: ${answer?.error?.message ?? "no reason given"}`,
  );
}

runMain(main);
