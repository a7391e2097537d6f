import { logToStderr } from "../instance/problem.mjs";
import { progressOf } from "./api.mjs";
import { progressLine } from "./progress.mjs";
import { reportLines } from "./report.mjs";
import { sendTable } from "./send.mjs";

/**
 * Sends every table from where an earlier import stopped, or from the beginning when `again` says so.
 * @returns {Promise<string[]>} the report
 */
export async function importSource(target, source, again) {
  const before = await progressOf(target, source.fingerprint);
  const line = progressLine(process.stderr);
  for (const table of source.tables) {
    const begun = again ? null : before[table.name];
    let rows = begun?.read ?? 0;
    if (rows > 0) logToStderr(`${table.name}  goes on after ${rows} rows`);
    await sendTable(target, source.fingerprint, {
      table,
      cursor: begun?.cursor ?? null,
      onRows(sent) {
        rows += sent;
        line.at(table.name, rows, table.rows);
      },
    });
    line.end(table.name, rows, table.rows);
  }
  return reportLines({ ...source, progress: await progressOf(target, source.fingerprint) });
}
