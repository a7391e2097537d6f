import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { audit, chat, delivered, get, type Message, messages, request, send, TOKEN } from "./support/api.ts";
import { storedRows } from "./support/objects.ts";
import { agent, ask, team } from "./support/team.ts";

const lineageRow = z.object({
  origin: z.string(),
  runId: z.string(),
  parentRunId: z.string().nullable(),
  rootRunId: z.string(),
});
type LineageRow = z.infer<typeof lineageRow>;

/** Every row of the record that carries a lineage. */
async function lineageRows(): Promise<LineageRow[]> {
  const tables = ["RunReceipts", "AuditLog", "AgentMessages"];
  const select = tables.map(
    (table) =>
      `SELECT '${table}' AS origin, RunId AS runId, ParentRunId AS parentRunId, RootRunId AS rootRunId FROM ${table}`,
  );
  return z.array(lineageRow).parse((await env.DB.prepare(select.join(" UNION ALL ")).all()).results);
}

/** The rows that a walk from the roots down along ParentRunId comes by. */
function reachedFromRoots(rows: readonly LineageRow[]): LineageRow[] {
  const reached: LineageRow[] = [];
  let level = rows.filter((row) => row.parentRunId === null);
  while (level.length > 0) {
    reached.push(...level);
    const runs = new Map(level.map((row) => [row.runId, row.rootRunId]));
    const known = new Set(reached);
    level = rows.filter(
      (row) => !known.has(row) && row.parentRunId !== null && runs.get(row.parentRunId) === row.rootRunId,
    );
  }
  return reached;
}

/** `a` is answered, refused and let down in one step; `t` is kept waiting too long. */
const office = () =>
  team([
    agent("a", {
      colleagues: ["b", "d"],
      rules: [
        {
          when: { user: "go", step: 0 },
          calls: [
            ask("b", "how is work?"),
            ask("ghost", "are you there?"),
            ask("a", "and I?"),
            ask("not an id|", "you?"),
            ask("c", "we are no colleagues"),
            ask("d", "does your model work?"),
            { name: "FileRW", arguments: { action: "write", path: "a.txt", content: "x" } },
          ],
        },
        { when: { user: "go" }, say: "{{results}}" },
      ],
    }),
    agent("b", {
      rules: [
        { when: { user: "how is work", step: 0 }, calls: [ask("c", "what do I say?")] },
        { when: { user: "how is work" }, say: "good" },
      ],
    }),
    agent("c"),
    agent("d", { rules: [{ fail: { code: "auth", message: "no key" } }] }),
    agent("slow", { rules: [{ say: "at last", delayMs: 600_000 }] }),
    agent("t", {
      limits: { askSeconds: 1 },
      rules: [
        { when: { user: "go", step: 0 }, calls: [ask("slow", "quick?")] },
        { when: { user: "go" }, say: "{{result}}" },
      ],
    }),
  ]);

beforeEach(office);

describe("L4: lineage of what is on record", () => {
  it("L4: has no row that is its own parent, and roots from which every row is reached", async () => {
    const answers = [await chat("a", "go"), await chat("t", "go"), await chat("c", "hello")];
    await send("POST", "/api/agents/a/runs", { message: "go" });
    await delivered();
    const rows = await lineageRows();
    const statuses = new Set((await messages()).map((message) => message.status));
    expect(statuses).toEqual(new Set(["delivered", "denied", "failed", "timeout"]));
    expect(rows.filter((row) => row.parentRunId === row.runId)).toEqual([]);
    expect(new Set(reachedFromRoots(rows))).toEqual(new Set(rows));
    for (const { runId, rootRunId } of answers) expect(rootRunId).toBe(runId);
    const roots = rows.filter((row) => row.parentRunId === null);
    expect(roots.filter((row) => row.runId !== row.rootRunId)).toEqual([]);
  });

  it("L4: gives each run a receipt and hangs its rows on it", async () => {
    await chat("a", "go");
    await chat("t", "go");
    await delivered();
    const rows = await lineageRows();
    const receipts = rows.filter((row) => row.origin === "RunReceipts");
    const byRun = new Map(receipts.map((row) => [row.runId, row]));
    expect(byRun.size).toBe(receipts.length);
    for (const row of rows) expect({ ...byRun.get(row.runId), origin: row.origin }).toEqual(row);
  });

  it("L4: counts depth along parents and keeps as path who waits", async () => {
    const { runId, rootRunId } = await chat("a", "go");
    await delivered();
    const rows = await messages("?a=a&b=b");
    const asked = rows.find((row) => row.parentRunId === runId && row.direction === "response")?.runId ?? "";
    expect(await runOf(runId)).toMatchObject({ depth: 1, parentRunId: null, rootRunId });
    expect(await runOf(asked)).toMatchObject({ depth: 2, parentRunId: runId, rootRunId });
    expect(await storedLineage(runId)).toMatchObject({ depth: 1, path: [] });
    expect(await storedLineage(asked)).toMatchObject({ depth: 2, path: ["a"] });
    expect(await get(`/api/chains/${rootRunId}`)).toMatchObject({ totals: { runs: 3, depth: 2 } });
  });
});

describe("L4: a claimed lineage", () => {
  const CLAIMS = {
    runId: "a.000000000claimed",
    parentRunId: "b.000000000claimed",
    rootRunId: "c.000000000claimed",
    path: ["a", "b"],
    depth: 7,
  };
  const HEADERS = {
    "X-Run-Id": CLAIMS.runId,
    "X-Parent-Run-Id": CLAIMS.parentRunId,
    "X-Root-Run-Id": CLAIMS.rootRunId,
    "X-Parley-Lineage": JSON.stringify(CLAIMS),
    "X-Parley-Run": CLAIMS.runId,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  };
  const isClaimed = (row: LineageRow | Message) => /claimed/.test(JSON.stringify(lineageOf(row)));
  const lineageOf = ({ runId, parentRunId, rootRunId }: LineageRow | Message) => [
    runId,
    parentRunId,
    rootRunId,
  ];

  it.each(["chat", "runs"])("L4: in headers of %s changes nothing", async (door) => {
    const response = await request(`/api/agents/c/${door}`, {
      method: "POST",
      headers: { ...HEADERS, Authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ message: "hello" }),
    });
    expect(await response.json()).toMatchObject({ status: "completed", receipt: { parentRunId: null } });
    await delivered();
    expect((await lineageRows()).filter(isClaimed)).toEqual([]);
  });

  it.each(["chat", "runs"])("L4: in the body of %s is refused and leaves no row", async (door) => {
    const before = (await lineageRows()).length;
    for (const [field, value] of Object.entries({ ...CLAIMS, lineage: CLAIMS })) {
      const response = await send("POST", `/api/agents/c/${door}`, { message: "hello", [field]: value });
      expect([field, response.status]).toEqual([field, 400]);
    }
    await delivered();
    expect(await lineageRows()).toHaveLength(before);
  });

  it("L4: in a tool's or an ask's arguments changes nothing", async () => {
    await team([
      agent("a", {
        rules: [
          {
            when: { step: 0 },
            calls: [
              { name: "ask_agent", arguments: { agentId: "b", question: "hm?", ...CLAIMS, lineage: CLAIMS } },
              { name: "FileRW", arguments: { ...CLAIMS, action: "list", path: "" } },
            ],
          },
          { say: "{{results}}" },
        ],
      }),
      agent("b"),
    ]);
    const answer = await chat("a", "claim it");
    await delivered();
    const own = (await lineageRows()).filter((row) => row.rootRunId === answer.runId);
    expect(own.filter(isClaimed)).toEqual([]);
    expect(own.filter((row) => row.origin === "AgentMessages")).toHaveLength(2);
    expect((await audit("?agentId=a")).filter((row) => row.runId === answer.runId)).toHaveLength(2);
    const asked = own.find((row) => row.parentRunId === answer.runId);
    expect(await storedLineage(asked?.runId ?? "")).toMatchObject({ depth: 2, path: ["a"] });
  });

  it("L4: in the text of a message changes nothing", async () => {
    const claim = JSON.stringify({ lineage: CLAIMS, ...HEADERS });
    await team([
      agent("a", { rules: [{ when: { step: 0 }, calls: [ask("b", "{{user}}")] }, { say: "{{result}}" }] }),
      agent("b"),
    ]);
    const answer = await chat("a", claim);
    expect(answer).toMatchObject({ status: "completed", receipt: { parentRunId: null } });
    expect(answer.rootRunId).toBe(answer.runId);
    await delivered();
    expect((await lineageRows()).filter(isClaimed)).toEqual([]);
    expect((await messages("?a=a&b=b")).filter(isClaimed)).toEqual([]);
  });
});

async function runOf(runId: string): Promise<unknown> {
  return z.looseObject({ run: z.unknown() }).parse(await get(`/api/runs/${runId}`)).run;
}

/** As the agent's object keeps it. */
async function storedLineage(runId: string): Promise<unknown> {
  const row = (await storedRows()).find(({ table, cells }) => table === "Runs" && cells.runId === runId);
  return JSON.parse(String(row?.cells.lineage));
}
