import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dryRun } from "../../scripts/deploy/dry-run.mjs";
import { createMask } from "../../scripts/deploy/mask.mjs";
import { createWrangler } from "../../scripts/deploy/wrangler-command.mjs";
import { buildViewer } from "../../scripts/instance/viewer.mjs";

const root = join(import.meta.dirname, "..", "..");

const leftovers = () => readdirSync(join(root, ".wrangler")).filter((name) => name.startsWith("dry-run-"));

/** What CI knows of a deployment before there is an account. */
it("checks config, sizes, start, migrations and viewer without an account, and leaves nothing behind", async () => {
  const lines: string[] = [];
  const mask = createMask(() => ({}));
  const before = leftovers();
  const measured = await dryRun({
    name: "parley",
    environment: {},
    configFile: join(root, "demo", "config.json"),
    again: "npm run deploy -- --dry-run",
    yes: false,
    log: (line) => lines.push(line),
    pause: async () => undefined,
    buildViewer,
    fetch: async () => Promise.reject(new Error("A dry run calls nobody.")),
    mask,
    wrangler: createWrangler({ mask }),
  });
  const shown = lines.join("\n");
  expect(measured.allToolsKib).toBeLessThan(1_536);
  expect(measured.withoutDriversKib).toBeLessThan(400);
  expect(measured.startupMs).toBeLessThan(1_000);
  expect(shown).toContain(`all tools, gzip: ${measured.allToolsKib} KiB of 1536`);
  expect(shown).toContain(`without drivers, gzip: ${measured.withoutDriversKib} KiB of 400`);
  expect(shown).toMatch(/A real run would:\n {2}1\. /);
  expect(leftovers()).toEqual(before);
});
