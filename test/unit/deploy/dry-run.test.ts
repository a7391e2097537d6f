import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dryRun } from "../../../scripts/deploy/dry-run.mjs";
import { main } from "../../../scripts/deploy/main.mjs";
import { createMask } from "../../../scripts/deploy/mask.mjs";
import { createWrangler } from "../../../scripts/deploy/wrangler-command.mjs";
import { buildViewer } from "../../../scripts/instance/viewer.mjs";
import { type Account, type CloudflareAccount, openAccount } from "../../support/cloudflare-account.ts";

let account: CloudflareAccount;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-dry-run-"));
});
afterEach(() => {
  account?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs it against a stand-in for wrangler; answers what was shown, or said by the failure. */
async function run({
  configFile = "demo/config.json",
  ...bundle
}: Partial<Account["bundle"]> & { configFile?: string } = {}) {
  account = openAccount();
  account.change({ bundle: { ...account.state().bundle, ...bundle } });
  const lines: string[] = [];
  const mask = createMask(() => ({}));
  const failed = await dryRun({
    name: "parley",
    environment: {},
    configFile,
    configChosen: true,
    again: "npm run deploy -- --dry-run",
    yes: false,
    log: (line) => lines.push(line),
    pause: async () => undefined,
    buildViewer,
    fetch: async () => Promise.reject(new Error("A dry run calls nobody.")),
    mask,
    wrangler: createWrangler({ mask, ...account.wrangler }),
  }).then(
    () => null,
    (error: unknown) => String(error),
  );
  const [, bundled = ""] = /--outfile (\S+)\/worker\.bundle/.exec(account.state().calls.join("\n")) ?? [];
  return { failed, shown: lines.join("\n"), bundled };
}

describe("a dry run", () => {
  it("says what was found, what each step of a real run would do, and leaves nothing behind", async () => {
    const { failed, shown, bundled } = await run({ kib: 1_234.5 });
    expect(failed).toBeNull();
    expect(shown).toContain("all tools, gzip: 1234.5 KiB of 1536");
    account.remove();
    account = openAccount();
    const real = await account.deploy();
    const steps = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;
    expect(steps(shown.split("A real run would:")[1] ?? "", /^ {2}\d+\. /gm)).toBe(
      steps(real.shown, /^\d+\/\d+ .* \.\.\.$/gm),
    );
    expect(bundled).toContain("dry-run-");
    expect(existsSync(bundled)).toBe(false);
  });

  it.each([
    ["the Worker weighs too much", { kib: 1_600 }, /all tools, gzip: 1600 KiB of 1536/],
    ["it does without drivers", { leanKib: 401 }, /without drivers, gzip: 401 KiB of 400/],
    ["it starts too slowly", { startupMs: 1_200 }, /busy: 1200 ms of 1000/],
    [
      "a stand-in takes a file's place of ours",
      { imports: { "core/x.ts": "./compile.js" } },
      /core\/x\.ts imports \.\/compile\.js/,
    ],
    ["the config has faults", { configFile: "test/unit/deploy/faulty.json" }, /agents\[0\]/],
    [
      "bindings are missing",
      { configFile: "test/unit/deploy/email-team.json" },
      /instance\.email needs.*\n.*send_email[\s\S]*agents\[0\]\.model\.provider needs.*\n.*\[ai\]/,
    ],
  ])("fails when %s, and leaves nothing behind", async (_when, how, reason) => {
    const { failed, bundled } = await run(how);
    expect(failed).toMatch(reason);
    expect(failed).toContain("Nothing was changed");
    expect(existsSync(bundled)).toBe(false);
  });

  it("takes stand-ins for zod and OpenAI as they are meant", async () => {
    const imports = {
      "../../node_modules/zod/v4/core/index.js": "../locales/index.js",
      "node_modules/openai/client.mjs": "./resources/index.mjs",
    };
    expect((await run({ imports })).failed).toBeNull();
    const nested = { "node_modules/openai/node_modules/other/index.js": "./compile.js" };
    expect((await run({ imports: nested })).failed).toContain("node_modules/other");
  });

  it("looks at the team that was deployed last, as a real run does", async () => {
    mkdirSync(join(folder, "parley"));
    const configFile = join(import.meta.dirname, "faulty.json");
    writeFileSync(join(folder, "parley", "deployment.json"), JSON.stringify({ configFile }));
    const asked = {
      command: "dry-run",
      name: "parley",
      configFile: undefined,
      yes: false,
      adopt: false,
    } as const;
    await expect(main(asked, folder)).rejects.toThrow(/faulty\.json cannot be used/);
  });
});
