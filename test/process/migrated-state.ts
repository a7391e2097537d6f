import { cpSync, existsSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shortHash, withLock } from "../../scripts/instance/lock.mjs";
import { applyMigrations } from "../../scripts/instance/migrations.mjs";
import { hashFiles } from "../../scripts/instance/state.mjs";

const root = join(import.meta.dirname, "..", "..");

/**
 * Puts the state of an instance there whose migrations have been applied, unless there is one: a copy, because
 * applying them takes seconds. `start.test.ts` starts from nothing.
 */
export async function giveMigratedState(stateDir: string): Promise<void> {
  if (existsSync(stateDir)) return;
  const template = join(
    tmpdir(),
    `parley-migrated-${shortHash(root + hashFiles([join(root, "migrations")]))}`,
  );
  await withLock(template, async () => {
    if (!existsSync(template)) await makeTemplate(template);
  });
  cpSync(template, stateDir, { recursive: true });
}

async function makeTemplate(template: string): Promise<void> {
  const made = `${template}.new`;
  const registry = join(made, "registry");
  await applyMigrations({ stateDir: made, mark: "parley-template", registry, log: () => undefined });
  renameSync(made, template);
}
