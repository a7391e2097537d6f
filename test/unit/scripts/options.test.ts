import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runScript } from "../../support/command.ts";

const run = (name: string, ...args: string[]) =>
  runScript(fileURLToPath(import.meta.resolve(`../../../scripts/${name}.mjs`)), args, { cwd: tmpdir() });

describe("commands that take options alone", { timeout: 60_000 }, () => {
  it.each([
    ["start", "npm start knows --help"],
    ["demo", "npm run demo knows --lang, --keep, --help"],
    ["bench", "npm run bench knows --quick, --help"],
    ["check", "npm run check knows --help"],
    ["test", "npm test knows --project, --help"],
  ])("%s refuses an option that it does not know, before it does anything", async (name, known) => {
    const { code, out, err } = await run(name, "--fast");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("'--fast'");
    expect(err).toContain(known);
    expect(err).not.toMatch(/\n\s+at /);
  });

  it.each([
    ["start", "STATE_DIR"],
    ["demo", "--lang"],
    ["bench", "--quick"],
    ["check", "npm run check"],
    ["test", "--project"],
  ])("%s says with --help what it does and takes", async (name, part) => {
    const { code, out, err } = await run(name, "--help");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(part);
    expect(out).toContain("--help");
  });

  it("start takes no argument either, and no value for what is a switch", async () => {
    expect(await run("start", "8787")).toMatchObject({ code: 2, err: expect.stringContaining("'8787'") });
    expect(await run("demo", "--keep=1")).toMatchObject({ code: 2, err: expect.stringContaining("--keep") });
  });

  it("test finds what vitest does not know among what it knows", async () => {
    const { code, err } = await run("test", "--project", "unit", "-t", "a name", "--shard=1/2", "--fast");
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("'--fast'") });
  });
});
