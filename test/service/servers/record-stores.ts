/** D1 and R2 of the local platform, with the record's tables, for tests that run in Node beside real servers. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { getPlatformProxy } from "wrangler";

const root = resolve(import.meta.dirname, "../../..");

export interface RecordStores {
  readonly db: D1Database;
  readonly texts: R2Bucket;
  stop(): Promise<void>;
}

export async function startRecordStores(): Promise<RecordStores> {
  const folder = mkdtempSync(join(tmpdir(), "parley-stores-"));
  const configPath = join(folder, "wrangler.json");
  const config = {
    name: "parley-stores-under-test",
    compatibility_date: "2026-10-01",
    d1_databases: [
      { binding: "DB", database_name: "db", database_id: "00000000-0000-0000-0000-000000000001" },
    ],
    r2_buckets: [{ binding: "TEXTS", bucket_name: "texts" }],
  };
  writeFileSync(configPath, JSON.stringify(config));
  const proxy = await getPlatformProxy<{ DB: D1Database; TEXTS: R2Bucket }>({ configPath, persist: false });
  const { DB: db, TEXTS: texts } = proxy.env;
  for (const file of readdirSync(join(root, "migrations"))
    .filter((name) => name.endsWith(".sql"))
    .sort())
    for (const sql of readFileSync(join(root, "migrations", file), "utf8").split("--> statement-breakpoint"))
      await db.prepare(sql.trim()).run();
  return {
    db,
    texts,
    stop: async () => {
      await proxy.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
