import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { chat, eventually, get, request } from "./support/api.ts";
import { capturedLog } from "./support/exposure.ts";
import { probe } from "./support/probe.ts";
import { agent, team } from "./support/team.ts";
import worker from "./worker.ts";

const lineShape = z.strictObject({
  id: z.number(),
  module: z.string(),
  level: z.string(),
  agentId: z.string().nullable(),
  runId: z.string().nullable(),
  text: z.string(),
  occurredAt: z.iso.datetime(),
});

const printed = capturedLog();

async function lines(query = "") {
  return z.array(lineShape).parse(await get(`/api/logs${query}`));
}

/** Lines reach D1 a moment after they were said. */
async function said(query: string) {
  await eventually(async () => (await lines(query)).length > 0);
  return lines(query);
}

/** `count` lines of a module, one a second from the start of that day; every hundredth is a warning, every thousandth an error. */
async function fill(module: string, day: string, count: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
     INSERT INTO Logs (Id, Module, Level, AgentId, RunId, Text, OccurredAt)
     SELECT (?2 + i * 1000) * 2048 + ?3, ?4, CASE WHEN i % 1000 = 0 THEN 'error' WHEN i % 100 = 0 THEN 'warn' ELSE 'info' END,
       'filler', 'filler.run' || (i / 100), 'line ' || i, strftime('%Y-%m-%dT%H:%M:%S', ?2 / 1000 + i, 'unixepoch') || '.000Z' FROM n`,
  )
    .bind(count, Date.parse(day), module.length, module)
    .run();
}

async function rowsRead(query: string): Promise<number> {
  const response = await request(`/api/logs${query}`);
  await response.text();
  return Number(/rows_read=(\d+)/.exec(response.headers.get("server-timing") ?? "")?.[1]);
}

describe("what is logged", () => {
  it("tells of a tool's lines under the tool's name, with agent and run", async () => {
    const { answer } = await probe("talker", [{ action: "log", value: "I looked" }], {
      tools: { Probe: { token: { $secret: "TEST_SECRET_A" } } },
    });
    expect(await said(`?module=Tool_Probe&runId=${answer.runId}`)).toEqual([
      expect.objectContaining({
        module: "Tool_Probe",
        level: "error",
        agentId: "talker",
        runId: answer.runId,
        text: expect.stringContaining("I looked"),
      }),
    ]);
  });

  it("L5: masks the secrets that a tool logs, in lists, in the file and on the console", async () => {
    const { answer } = await probe("careless", [{ action: "log", value: "the token is" }], {
      tools: { Probe: { token: { $secret: "TEST_SECRET_A" } } },
    });
    const [line] = await said(`?module=Tool_Probe&runId=${answer.runId}`);
    expect(line?.text).toContain("[secret:TEST_SECRET_A]");
    const file = await request("/api/logs?module=Tool_Probe", { headers: { Accept: "text/plain" } });
    const everywhere = [JSON.stringify(await lines()), await file.text(), ...printed].join("\n");
    for (const secret of Object.values(TEST_SECRETS)) expect(everywhere).not.toContain(secret);
  });

  it("has a line for each run's end, a warning where it did not end well", async () => {
    await team([
      agent("well"),
      agent("badly", { rules: [{ fail: { code: "auth", message: "no key" }, say: "" }] }),
    ]);
    const [good, bad] = [await chat("well", "hello"), await chat("badly", "hello")];
    expect(await said(`?module=Core&runId=${good.runId}`)).toEqual([
      expect.objectContaining({ level: "info", text: expect.stringContaining("Ended completed") }),
    ]);
    expect(await said(`?level=warn&runId=${bad.runId}`)).toEqual([
      expect.objectContaining({ level: "warn", text: expect.stringContaining("Ended failed (auth)") }),
    ]);
  });

  it("has what went wrong at the Worker's door", async () => {
    await env.DB.exec(`ALTER TABLE Notices RENAME TO Elsewhere`);
    const response = await request("/api/notices");
    await env.DB.exec(`ALTER TABLE Elsewhere RENAME TO Notices`);
    expect(response.status).toBe(503);
    expect(await said("?module=Worker&level=error")).toEqual([
      expect.objectContaining({ text: expect.stringContaining("A request failed"), agentId: null }),
    ]);
  });
});

describe("a list of lines", () => {
  it("comes newest first, page by page, and reads little more than it shows", async () => {
    await fill("Tool_Busy", "2026-03-01", 5_000);
    await fill("Tool_Other", "2026-03-01", 5_000);
    const first = await request("/api/logs?day=2026-03-01&module=Tool_Busy&limit=100");
    const page = z.array(lineShape).parse(await first.json());
    expect(page.map((line) => line.text)).toEqual(Array.from({ length: 100 }, (_, n) => `line ${4_999 - n}`));
    const older = await lines(
      `?day=2026-03-01&module=Tool_Busy&limit=100&before=${first.headers.get("x-older")}`,
    );
    expect(older[0]?.text).toBe("line 4899");
    for (const query of ["?day=2026-03-01", "?day=2026-03-01&module=Tool_Busy", "?level=warn&day=2026-03-01"])
      expect(await rowsRead(`${query}&limit=50`), query).toBeLessThanOrEqual(2 * 50 + 20);
    expect(await rowsRead("?day=2026-03-02")).toBeLessThanOrEqual(5);
  });

  it("looks at each line once, and no further than its page needs", async () => {
    const day = "?day=2026-03-01&module=Tool_Busy";
    expect(await rowsRead(`${day}&q=nowhere`)).toBeLessThanOrEqual(5_100);
    expect(await rowsRead(`${day}&q=line&limit=50`)).toBeLessThanOrEqual(700);
  });

  it("takes a level as that and those above", async () => {
    const levels = async (query: string) =>
      (await lines(`?day=2026-03-01&module=Tool_Busy&${query}`)).map((line) => line.level);
    expect((await levels("level=warn")).length).toBe(50);
    expect(new Set(await levels("level=warn"))).toEqual(new Set(["warn", "error"]));
    expect(await levels("level=error")).toEqual(["error", "error", "error", "error", "error"]);
    expect(new Set(await levels("level=info&limit=500"))).toEqual(new Set(["info", "warn"]));
  });

  it("is narrowed by agent, run, text and time; looks at a bounded number of lines and can go on", async () => {
    expect((await lines("?day=2026-03-01&module=Tool_Busy&runId=filler.run7")).length).toBe(100);
    expect((await lines("?day=2026-03-01&agentId=nobody")).length).toBe(0);
    expect((await lines("?module=Tool_Busy&q=LINE%204999")).map((line) => line.text)).toEqual(["line 4999"]);
    expect(
      (await lines("?day=2026-03-01&module=Tool_Busy&since=2026-03-01T01:23:18Z")).map((line) => line.text),
    ).toEqual(["line 4999", "line 4998"]);
    const rare = await request("/api/logs?day=2026-03-01&q=line%200");
    expect(await rare.json()).toEqual([]);
    expect(rare.headers.get("x-older")).not.toBeNull();
    const rest = await lines(`?day=2026-03-01&q=line%200&before=${rare.headers.get("x-older")}`);
    expect(rest.map((line) => line.module)).toEqual(["Tool_Other", "Tool_Busy"]);
  });

  it.each([
    "day=yesterday",
    "day=2026-13-45",
    "module=Nothing",
    "level=loud",
    "before=x",
    "since=soon",
    "limit=0",
  ])("refuses %s", async (query) => {
    for (const accept of ["application/json", "text/plain"]) {
      if (accept === "text/plain" && /before|since/.test(query)) continue;
      const response = await request(`/api/logs?${query}`, { headers: { Accept: accept } });
      expect(response.status).toBe(400);
      await response.text();
    }
  });
});

describe("a module's day as a file", () => {
  it("holds every line in order under the module's name", async () => {
    const response = await request("/api/logs?day=2026-03-01&module=Tool_Busy", {
      headers: { Accept: "text/plain" },
    });
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="Tool_Busy.log"');
    const written = (await response.text()).trimEnd().split("\n");
    expect(written).toHaveLength(5_000);
    expect(written[0]).toBe("2026-03-01T00:00:00.000Z ERROR Tool_Busy [filler filler.run0] line 0");
    expect(written.at(-1)).toMatch(/INFO {2}Tool_Busy \[filler filler\.run49\] line 4999$/);
  });

  it("lets no text pass for a line of its own", async () => {
    await env.DB.prepare(
      `INSERT INTO Logs (Module, Level, Text, OccurredAt, Id) VALUES ('Tool_Sly', 'info', ?, '2026-03-02T00:00:00.000Z', ?)`,
    )
      .bind("one\n2026-03-02T00:00:01.000Z ERROR Core two", Date.parse("2026-03-02") * 2048)
      .run();
    const response = await request("/api/logs?day=2026-03-02&module=Tool_Sly", {
      headers: { Accept: "text/plain" },
    });
    expect((await response.text()).split("\n")[1]).toMatch(/^\t/);
  });
});

describe("upkeep", () => {
  it("deletes lines after fourteen days, at night, some each minute", async () => {
    const night = Date.UTC(2026, 2, 15, 3, 1);
    await team([agent("keeper")]);
    await fill("Tool_Busy", "2026-03-14", 3);
    for (const minute of [0, 1, 2]) {
      const scheduledTime = new Date(night + minute * 60_000);
      await worker.scheduled(createScheduledController({ cron: "* * * * *", scheduledTime }), env);
    }
    const left = await env.DB.prepare(`SELECT min("OccurredAt") AS first FROM "Logs"`).first("first");
    expect(String(left) >= "2026-03-01T03:01").toBe(true);
    expect((await lines("?day=2026-03-14")).length).toBe(3);
  });

  it("disturbs no run when lines cannot be kept, and says so on the console only", async () => {
    await env.DB.exec(`ALTER TABLE Logs RENAME TO LogsElsewhere`);
    const { answer } = await probe("undisturbed", [{ action: "log", value: "unheard" }], {
      tools: { Probe: { token: { $secret: "TEST_SECRET_A" } } },
    });
    const complaints = () => printed.filter((line) => line.includes("Log lines could not be kept"));
    await eventually(async () => complaints().length > 0);
    await env.DB.exec(`ALTER TABLE LogsElsewhere RENAME TO Logs`);
    expect(answer.status).toBe("completed");
    expect(printed.some((line) => line.includes("unheard"))).toBe(true);
    expect(complaints().length).toBeLessThanOrEqual(2);
  });
});
