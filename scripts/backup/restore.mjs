import { existsSync } from "node:fs";
import { askApi } from "../client/call.mjs";
import { Problem } from "../instance/problem.mjs";
import { describeInstance, emptyTable, pagesOf, sendRows } from "./api.mjs";
import { FORMAT, noBackup, readBackup, rowSum } from "./file.mjs";

/**
 * Writes the file's rows into the instance's database and reads them again. Answers what to tell.
 * @param content what {@link checkFile} found in the file
 */
export async function restore(target, { file, content, force, withConfig }) {
  const { header, tables } = content;
  const there = await describeInstance(target, "restore");
  checkFit(header, there, { force });
  if (withConfig) await askApi(target, "/api/config", { method: "PUT", body: header.config });
  for (const { name } of force ? there.tables : []) await emptyTable(target, name);
  const masked = await writeTables(target, file);
  const told = [];
  for (const table of tables) told.push(await compare(target, table, { masked, there }));
  if (masked.size > 0)
    told.push(
      `Masked: ${[...masked].map(([name, cells]) => `${cells} texts in ${name}`).join(", ")}. ` +
        "They hold what this instance takes for a secret; see plainVars in docs/config.md.",
    );
  return told;
}

/** Reads the whole file before anything is started or written: its form, and the sum of each table. */
export async function checkFile(file) {
  if (!existsSync(file)) throw new Problem(`There is no file ${file}.`);
  let header;
  let table = null;
  const tables = [];
  for await (const line of readBackup(file)) {
    if (header === undefined) {
      if (!isHeader(line)) throw noBackup(file);
      header = line;
    } else if (Array.isArray(line) && line.length === table?.columns.length) table.sum.add(line);
    else if (isTable(line)) table = { name: line.table, columns: line.columns, sum: rowSum() };
    else if (table !== null && line?.end === table.name) {
      tables.push(ended(table, line, file));
      table = null;
    } else if (line?.end !== "backup" || table !== null)
      throw new Problem(`${file} is damaged: it has a line that belongs nowhere.`);
  }
  return { header, tables };
}

const areTexts = (list) => Array.isArray(list) && list.every((text) => typeof text === "string");
const isHeader = (line) => line?.format === FORMAT && areTexts(line.migrations);
const isTable = (line) => typeof line?.table === "string" && areTexts(line.columns);

function ended({ name, columns, sum }, line, file) {
  const { rows, sha256 } = sum.end();
  if (line.rows !== rows || line.sha256 !== sha256) throw new Problem(`${file} is damaged: ${name} differs.`);
  return { name, columns, rows, sha256 };
}

function checkFit(header, there, { force }) {
  const older = header.migrations.every((name, index) => there.migrations[index] === name);
  if (!older)
    throw new Problem(
      "The backup's database was made by migrations that this instance does not have. Deploy a version at least as new.",
    );
  const filled = there.tables.filter(({ rows, kind }) => rows > 0 && kind === "content");
  if (filled.length > 0 && !force)
    throw new Problem(
      `The database is not empty: ${filled.map(({ name, rows }) => `${name} (${rows})`).join(", ")}. ` +
        "--force deletes what is there.",
    );
}

const MAX_ROWS = 250;
const MAX_BYTES = 3_000_000;

/** Answers how many cells were masked, by table. Each table is emptied at its turn: triggers may have filled it. */
async function writeTables(target, file) {
  const masked = new Map();
  let batch;
  const send = async () => {
    const { name, columns, rows } = batch;
    const cells = rows.length === 0 ? 0 : await sendRows(target, name, { columns, rows });
    if (cells > 0) masked.set(name, (masked.get(name) ?? 0) + cells);
    batch = { ...batch, rows: [], bytes: 0 };
  };
  for await (const line of readBackup(file)) {
    if (Array.isArray(line)) {
      const size = Buffer.byteLength(JSON.stringify(line));
      if (batch.rows.length >= MAX_ROWS || batch.bytes + size > MAX_BYTES) await send();
      batch.rows.push(line);
      batch.bytes += size;
    } else if (line.table !== undefined) {
      batch = { name: line.table, columns: line.columns, rows: [], bytes: 0 };
      await emptyTable(target, line.table);
    } else if (batch !== undefined && line.end === batch.name) await send();
  }
  return masked;
}

async function compare(target, { name, columns, rows, sha256 }, { masked, there }) {
  const sum = rowSum();
  for await (const page of pagesOf(target, name)) {
    const places = columns.map((column) => page.columns.indexOf(column));
    for (const row of page.rows) sum.add(places.map((place) => row[place]));
  }
  const now = sum.end();
  const counted = `${name}: ${rows.toLocaleString("en")} rows`;
  const kind = there.tables.find((table) => table.name === name)?.kind;
  if (now.rows === rows && (now.sha256 === sha256 || masked.has(name))) return counted;
  if (kind === "growing" && now.rows >= rows) return counted;
  // Figures only become more; what is still to be looked at becomes less.
  if (kind === "passing" || (kind === "derived" && now.rows >= rows))
    return `${counted}, and the instance has worked on them since`;
  throw new Problem(`${name} differs after the restore: ${now.rows} rows instead of ${rows}.`);
}
