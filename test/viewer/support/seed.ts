import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { giveMigratedState } from "../../process/migrated-state.ts";
import { FILL, fillValues } from "../../support/record-fill.ts";

/** The database of an instance that does not run yet, made if need be, to put rows into. */
export async function openRecord(stateDir: string): Promise<DatabaseSync> {
  await giveMigratedState(stateDir);
  const folder = join(stateDir, "v3", "d1", "miniflare-D1DatabaseObject");
  const name = readdirSync(folder).find((file) => /^[0-9a-f]{64}\.sqlite$/.test(file));
  if (name === undefined) throw new Error("The instance has no D1.");
  return new DatabaseSync(join(folder, name), { timeout: 30_000 });
}

/** `count` messages of a pair (`a|b` in order), one a second; see {@link FILL} for what they say. */
export function seedPair(db: DatabaseSync, pair: string, count: number): void {
  db.prepare(FILL).run(...fillValues(pair, count));
}
