/** What is said at once, and costs no instance: its state folder is not even made. */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runScript } from "../../support/command.ts";

/** Nothing listens there. */
const NOWHERE = "1";
let folder = "";

function run(name: string, args: readonly string[], env: Record<string, string> = {}) {
  const script = fileURLToPath(import.meta.resolve(`../../../scripts/${name}.mjs`));
  const base = { API_TOKEN: "ours", STATE_DIR: join(folder, "state"), PORT: NOWHERE };
  return runScript(script, args, { cwd: folder, env: { ...base, ...env } });
}

async function file(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(join(folder, name), content);
  return name;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-nothing-started-"));
});
afterEach(() => expect(existsSync(join(folder, "state"))).toBe(false));
afterAll(() => rm(folder, { recursive: true }));

describe("npm start with a config that cannot be used", { timeout: 60_000 }, () => {
  it.each([
    ["is not there", undefined, "no such file"],
    ["is no JSON", "{\n  agents", "bad.json:2:3 is not JSON"],
    ["names a scenario that is not there", '{"agents":[{"model":{"script":"gone.json"}}]}', "gone.json"],
  ])("says so of one that %s, with its path and the next step", async (_, content, words) => {
    const name = content === undefined ? "missing.json" : await file("bad.json", content);
    const { code, out, err } = await run("start", [], { PARLEY_CONFIG: name, PORT: "0" });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(name);
    expect(err).toContain(words);
    expect(err).toContain("set PARLEY_CONFIG to another one");
  });
});

describe("npm run restore of a file that is none of ours", { timeout: 60_000 }, () => {
  it.each([
    ["text", "Dear diary"],
    ["nothing", ""],
    ["packed text", gzipSync("Dear diary\n")],
    ["packed nothing", gzipSync("")],
    ["packed JSON of another kind", gzipSync('{"hello":1}\n{"end":"backup"}\n')],
  ])("says with %s that it is no backup, and what makes one", async (_, content) => {
    const { code, out, err } = await run("restore", [await file("other.gz", content)]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/other\.gz is no backup .*npm run backup -- FILE/);
  });

  it("tells a backup that is cut off from one", async () => {
    const header = gzipSync(JSON.stringify({ format: "parley-backup-1", config: "a1b2".repeat(5_000) }));
    const { err } = await run("restore", [await file("cut.gz", header.subarray(0, -12))]);
    expect(err).toMatch(/cut\.gz (cannot be read|is cut off)/);
  });

  it("says that there is no file", async () => {
    expect((await run("restore", ["gone.gz"])).err).toContain("There is no file gone.gz");
  });
});

describe("commands about an instance that runs", { timeout: 60_000 }, () => {
  it.each([
    ["token", ["list"]],
    ["token", ["create", "ci", "--role", "read"]],
    ["erase", ["--text", "anna@example.org", "--yes"]],
    ["export", ["a.b"]],
    ["config", ["pull"]],
  ])("npm run %s with %j says that nothing answers, and starts none of its own", async (name, args) => {
    const { code, out, err } = await run(name, args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/Nothing answers at http:\/\/127\.0\.0\.1:1 .*npm start.*--url/);
  });
});
