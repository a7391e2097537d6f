import { askApi } from "../client/call.mjs";
import { describeInstance, pagesOf } from "./api.mjs";
import { FORMAT, rowSum, writeBackup } from "./file.mjs";

/** Writes the file, one page of rows in memory at a time. Answers what to tell. */
export async function backUp(target, file) {
  const { version, migrations, tables } = await describeInstance(target, "backup");
  const { instance, agents } = await askApi(target, "/api/config");
  const told = [];
  await writeBackup(file, async (write) => {
    const madeAt = new Date().toISOString();
    await write({ format: FORMAT, madeAt, version, migrations, config: { instance, agents } });
    for (const { name, columns } of tables) {
      const { rows } = await writeTable(target, { name, columns, write });
      told.push(`${name}: ${rows.toLocaleString("en")} rows`);
    }
    await write({ end: "backup", tables: tables.length });
  });
  return [...told, `${file} holds the database of ${target.url}.`];
}

async function writeTable(target, { name, columns, write }) {
  const sum = rowSum();
  await write({ table: name, columns });
  for await (const page of pagesOf(target, name)) {
    for (const row of page.rows) {
      sum.add(row);
      await write(row);
    }
  }
  const end = sum.end();
  await write({ end: name, ...end });
  return end;
}
