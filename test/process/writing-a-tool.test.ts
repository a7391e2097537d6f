import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

const root = join(import.meta.dirname, "..", "..");
const guide = readFileSync(join(root, "docs", "writing-a-tool.md"), "utf8");
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(
    ([, block = ""]) => block,
  );

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Follows docs/writing-a-tool.md to the letter, in a copy of the repository. */
describe("the guide to writing a tool", () => {
  const copy = mkdtempSync(join(tmpdir(), "parley-guide-"));
  let page = "one";
  let server: Server;
  let port = 0;

  beforeAll(async () => {
    const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
      cwd: root,
      encoding: "utf8",
    });
    for (const file of files.split("\n").filter((name) => name !== "")) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(join(root, file), join(copy, file));
    }
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    server = createServer((_request, response) => response.end(page)).listen(0, "127.0.0.1");
    await new Promise((settle) => server.once("listening", settle));
    const address = server.address();
    port = typeof address === "object" ? (address?.port ?? 0) : 0;
  });
  afterAll(() => {
    server?.close();
    rmSync(copy, { recursive: true, force: true });
  });

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> => {
    const child = spawn(process.execPath, args, { cwd: copy, env: { ...process.env, ...env } });
    const output = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text;
    });
    return new Promise((settle) => child.once("close", (code) => settle({ code, ...output })));
  };
  const succeed = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const finished = await run(args, env);
    expect(finished.code, finished.stdout + finished.stderr).toBe(0);
    return finished.stdout;
  };
  const test = (path: string) => ["node_modules/vitest/vitest.mjs", "run", "--project", "unit", path];

  it("makes a tool that works, once", async () => {
    expect(await succeed(["scripts/new-tool.mjs", "PageWatch"])).toContain("npm run tool -- PageWatch");
    await succeed(test("tools/page-watch"));
    const again = await run(["scripts/new-tool.mjs", "PageWatch"]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("exists already") });
    for (const wrong of [[], ["page-watch"], ["Über"], ["../X"], ["A", "B"]])
      expect((await run(["scripts/new-tool.mjs", ...wrong])).code, wrong.join(" ")).toBe(1);
  });

  it("gives code that compiles, keeps the rules and passes its tests", async () => {
    const [tool = "", tests = ""] = blocks("ts");
    writeFileSync(join(copy, "tools", "page-watch", "index.ts"), tool);
    writeFileSync(join(copy, "tools", "page-watch", "page-watch.test.ts"), tests);
    await succeed(["node_modules/typescript/bin/tsc", "--noEmit", "-p", "."]);
    await succeed([
      "node_modules/@biomejs/biome/bin/biome",
      "check",
      "--vcs-enabled=false",
      "tools/page-watch",
      "tools/index.ts",
    ]);
    await succeed(test("tools/page-watch"));
  });

  it("gives a config with which the tool is called by hand, in an instance that is started for it", async () => {
    const [config = ""] = blocks("json");
    writeFileSync(join(copy, "config.json"), config.replaceAll("8081", String(port)));
    writeFileSync(join(copy, "vars"), 'API_TOKEN="guide-token-0123456789"\nOPENAI_API_KEY=""\n');
    const env = { PARLEY_CONFIG: "config.json", PARLEY_VARS: "vars", STATE_DIR: "state", PORT: "0" };
    const looked = await succeed(["scripts/tool.mjs", "PageWatch", '{"action":"look"}'], env);
    expect(looked).toBe("one\n");
    const wrong = await run(["scripts/tool.mjs", "PageWatch", '{"action":"change"}'], env);
    expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining("Wrong arguments") });
  });

  it("gives a job that wakes the agent when the page has changed", async () => {
    const env = { PARLEY_CONFIG: "config.json", PARLEY_VARS: "vars", STATE_DIR: "state", PORT: "0" };
    const child = spawn(process.execPath, ["scripts/start.mjs"], {
      cwd: copy,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const exited = new Promise((settle) => child.once("close", settle));
    try {
      const url = await new Promise<string>((settle, reject) => {
        let text = "";
        child.stdout.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
          const found = /^ready (\S+?)\/#/m.exec(text);
          if (found?.[1]) settle(found[1]);
        });
        void exited.then(() => reject(new Error("ended early")));
      });
      const call = async (method: string, path: string) => {
        const headers = { authorization: "Bearer guide-token-0123456789" };
        const response = await fetch(url + path, { method, headers });
        expect(response.ok, path).toBe(true);
        const answer: unknown = await response.json();
        return answer;
      };
      const tick = async (summary: string) => {
        await call("POST", "/api/jobs/watcher/page/run");
        await expect
          .poll(() => call("GET", "/api/jobs").then(lastSummary), { timeout: 30_000 })
          .toBe(summary);
      };
      await tick("first look");
      page = "two";
      await tick("changed");
    } finally {
      child.kill("SIGTERM");
      await exited;
    }
  });
});

const jobsShape = z.array(
  z.looseObject({ lastTick: z.looseObject({ summary: z.string().nullable() }).nullable() }),
);

function lastSummary(answer: unknown): string | null {
  return jobsShape.parse(answer)[0]?.lastTick?.summary ?? null;
}
