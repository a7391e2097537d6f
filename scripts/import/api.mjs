/** The instance's side of an import. */
import { setTimeout as wait } from "node:timers/promises";
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
  return call(target, `/api/import/${table}`, JSON.stringify(batch));
}

/** Sending rows twice changes nothing, so a connection that breaks is tried again. */
async function call(target, path, body) {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await attempted(target, path, body);
    if (answer.ok) return answer.body;
    const pause = PAUSES_MS[attempt];
    if (!answer.passing || pause === undefined) throw new Problem(answer.message);
    await wait(pause);
  }
}

async function attempted(target, path, body) {
  try {
    const response = await fetch(target.url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${target.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body }),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = await response.json().catch(() => null);
    return response.ok && answer !== null
      ? { ok: true, body: answer }
      : refusal(target, response.status, answer);
  } catch (error) {
    const reason = error.name === "TimeoutError" ? "no answer in time" : (error.cause?.code ?? error.message);
    return { ok: false, passing: true, message: `${target.url} cannot be reached (${reason}). ${GO_ON}` };
  }
}

function refusal(target, status, answer) {
  if (status === 401 || status === 403)
    return {
      ok: false,
      message: `${target.url} does not accept the token. Pass the right one with --token.`,
    };
  if (status < 300 || status === 404)
    return {
      ok: false,
      message: `${target.url} has no /api/import. Is it a Parley instance of this version?`,
    };
  const issue = answer?.error?.issues?.[0];
  const where = issue === undefined ? "" : ` (${issue.path}: ${issue.message})`;
  const message = `${target.url} answered ${status}: ${answer?.error?.message ?? "no reason given"}${where} ${GO_ON}`;
  return { ok: false, passing: status === 429 || status >= 500, message };
}
