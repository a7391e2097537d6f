/** The instance's side of an import. */
import { setTimeout as wait } from "node:timers/promises";
import { callApi, issueLine } from "../client/call.mjs";
import { Problem } from "../instance/problem.mjs";

const TIMEOUT_MS = 120_000;
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000];
const GO_ON = "Run the same command again: it goes on where it stopped.";

/** How far the tables of that file have come, by their names; null for one that was not begun. */
export async function progressOf(target, source) {
  return (await call(target, `/api/import?source=${source}`)).tables;
}

/** Sends rows of one table; the instance tells what became of them. */
export function sendRows(target, table, batch) {
  return call(target, `/api/import/${table}`, { method: "POST", body: batch });
}

/** Sending rows twice changes nothing, so a connection that breaks is tried again. */
async function call(target, path, options = {}) {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await callApi(target, path, { ...options, timeoutMs: TIMEOUT_MS });
    if (answer.ok) return answer.body;
    const pause = PAUSES_MS[attempt];
    if (!answer.passing || pause === undefined) throw new Problem(sentence(answer));
    await wait(pause);
  }
}

function sentence({ message, issues: [issue] }) {
  return `${message}${issue === undefined ? "" : ` (${issueLine(issue)})`} ${GO_ON}`;
}
