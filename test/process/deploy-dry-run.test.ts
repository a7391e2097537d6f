import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleWithoutDrivers, bundleWorker } from "../../scripts/deploy/bundle.mjs";
import { namesOf, ownConfigOf } from "../../scripts/deploy/deployment.mjs";
import { createMask } from "../../scripts/deploy/mask.mjs";
import { createWrangler } from "../../scripts/deploy/wrangler-command.mjs";

const parent = join(import.meta.dirname, "..", "..", ".wrangler");
const wrangler = createWrangler({ mask: createMask(() => ({})) });

let folder: string;
beforeAll(() => {
  mkdirSync(parent, { recursive: true });
  folder = mkdtempSync(join(parent, "dry-run-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Cloudflare takes 3 MiB on the free plan; every byte is parsed at the start of each isolate. */
it("the Worker with all tools weighs at most 1,536 KiB, and replaces only what it is meant to", async () => {
  const nothingDeployed = { accountId: null, databaseId: null, namespaceId: null };
  const target = { names: namesOf("parley"), ownConfig: ownConfigOf("parley"), ...nothingDeployed };
  expect(await bundleWorker({ wrangler }, target, folder)).toBeLessThanOrEqual(1_536);
});

it("the Worker without drivers weighs at most 400 KiB", async () => {
  expect(await bundleWithoutDrivers({ wrangler }, folder)).toBeLessThanOrEqual(400);
});
