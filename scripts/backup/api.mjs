/** The instance's side of backup and restore. */
import { setTimeout as wait } from "node:timers/promises";
import { callApi, issueLine } from "../client/call.mjs";
import { Problem } from "../instance/problem.mjs";

const TIMEOUT_MS = 120_000;
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000];

/** Version, migrations and tables of the instance. @param purpose `backup`, `restore` or `check` */
export const describeInstance = (target, purpose) => call(target, `/api/backup?for=${purpose}`);

/** Pages of a table's rows, in the order of their keys. */
export async function* pagesOf(target, table) {
  let page;
  do {
    const from = page === undefined ? "" : `?after=${encodeURIComponent(JSON.stringify(page.after))}`;
    page = await call(target, `/api/backup/${table}${from}`);
    yield page;
  } while (page.after !== null);
}

/** Writing rows again changes nothing. Answers how many cells were masked. */
export const sendRows = async (target, table, rows) =>
  (await call(target, `/api/backup/${table}`, { method: "POST", body: rows })).masked;

export async function emptyTable(target, table) {
  while (!(await call(target, `/api/backup/${table}/empty`, { method: "POST" })).empty);
}

/** Each of these calls may be made twice, so a connection that breaks is tried again. */
async function call(target, path, options = {}) {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await callApi(target, path, { ...options, timeoutMs: TIMEOUT_MS });
    if (answer.ok) return answer.body;
    const pause = PAUSES_MS[attempt];
    if (!answer.passing || pause === undefined)
      throw new Problem([answer.message, ...answer.issues.map(issueLine)].join("\n"));
    await wait(pause);
  }
}
