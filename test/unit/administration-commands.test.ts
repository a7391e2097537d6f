import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runScript, withInstance } from "../support/command.ts";

const script = (name: string) => fileURLToPath(import.meta.resolve(`../../scripts/${name}.mjs`));
let folder = "";
const run = (name: string, ...args: string[]) =>
  runScript(script(name), args, { cwd: folder, env: { API_TOKEN: "ours" } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-administration-"));
});
afterAll(() => rm(folder, { recursive: true }));

const RESULT = {
  sha256: "abc",
  done: true,
  dryRun: false,
  clean: true,
  pass: 2,
  at: "done",
  found: { agents: 3, AuditLog: 0, AgentMessages: 12 },
  remaining: 0,
  inConfig: [],
  files: [],
};

describe("npm run erase", { timeout: 60_000 }, () => {
  it("prints where it stood, and that nothing is left", async () => {
    await withInstance({ status: 200, body: JSON.stringify(RESULT) }, async (url, received) => {
      const { code, out } = await run("erase", "--text", "anna@example.org", "--url", url);
      expect({ code, lines: out.split("\n") }).toEqual({
        code: 0,
        lines: [
          "agents           3",
          "AgentMessages    12",
          "Looked at once more: nothing is left.",
          "sha256 abc",
          "",
        ],
      });
      expect(received.map(({ method, url: at }) => `${method} ${at}`)).toEqual(["POST /api/admin/erase"]);
      expect(JSON.parse(received[0]?.body ?? "")).toEqual({ text: "anna@example.org", dryRun: false });
    });
  });

  it("takes the text from the standard input, where no list of processes shows it", async () => {
    await withInstance({ status: 200, body: JSON.stringify(RESULT) }, async (url, received) => {
      const io = { cwd: folder, env: { API_TOKEN: "ours" }, input: "anna@example.org\n" };
      expect(await runScript(script("erase"), ["--text", "-", "--url", url], io)).toMatchObject({ code: 0 });
      expect(JSON.parse(received[0]?.body ?? "")).toEqual({ text: "anna@example.org", dryRun: false });
    });
  });

  it("ends with 1 when something is left, and says who else has to act", async () => {
    const left = { ...RESULT, clean: false, remaining: 2, inConfig: ["clerk"], files: ["x/anna.txt"] };
    await withInstance({ status: 200, body: JSON.stringify(left) }, async (url) => {
      const { code, out } = await run("erase", "--text", "anna", "--url", url);
      expect(code).toBe(1);
      for (const part of ["2 were still there", "clerk", "x/anna.txt"]) expect(out).toContain(part);
    });
  });

  it("only counts when it is asked to", async () => {
    await withInstance(
      { status: 200, body: JSON.stringify({ ...RESULT, dryRun: true }) },
      async (url, received) => {
        const { out } = await run("erase", "--dry-run", "--text", "anna", "--url", url);
        expect(out).toContain("Nothing was changed.");
        expect(JSON.parse(received[0]?.body ?? "")).toEqual({ text: "anna", dryRun: true });
      },
    );
  });
});

describe("npm run export", { timeout: 60_000 }, () => {
  it("writes the chain to a file, or prints it", async () => {
    const body = '{"rootRunId":"a.b"}\n';
    await withInstance({ status: 200, body }, async (url, received) => {
      expect(await run("export", "a.b", "--url", url)).toMatchObject({ code: 0, out: body });
      expect(await run("export", "a.b", "chain.json", "--url", url)).toMatchObject({ code: 0, out: "" });
      expect(await readFile(join(folder, "chain.json"), "utf8")).toBe(body);
      expect(received[0]).toMatchObject({ url: "/api/chains/a.b/export", authorization: "Bearer ours" });
    });
  });

  it("leaves the file that was there alone when it breaks off", async () => {
    await writeFile(join(folder, "kept.json"), "whole");
    await mkdir(join(folder, "kept.json.part"), { recursive: true });
    await withInstance({ status: 200, body: "{" }, async (url) => {
      const { code, err } = await run("export", "a.b", "kept.json", "--url", url);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("broke off") });
      expect(await readFile(join(folder, "kept.json"), "utf8")).toBe("whole");
    });
  });

  it("says why there is none, and writes no file", async () => {
    const body = '{"error":{"code":"not_found","message":"There is no chain with that id."}}';
    await withInstance({ status: 404, body }, async (url) => {
      const { code, err } = await run("export", "a.b", "none.json", "--url", url);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("no chain with that id") });
      await expect(readFile(join(folder, "none.json"))).rejects.toThrow("ENOENT");
    });
  });
});

describe("the commands of administration", { timeout: 60_000 }, () => {
  it.each([
    ["erase", [], "--text"],
    ["erase", ["--text", " "], "--text"],
    ["export", [], "ROOTRUNID"],
    ["export", ["a", "b", "c"], "ROOTRUNID"],
  ])("npm run %s with %j says what is right", async (name, args, hint) => {
    const { code, out, err } = await run(name, ...args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(hint);
    expect(err).not.toMatch(/\n\s+at /);
  });
});
