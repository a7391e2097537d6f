/** The door that rows of an older instance come in by. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { audit, get, messages, receiptShape, send } from "./support/api.ts";
import { errorOf } from "./support/door.ts";

const { TEST_SECRET_A } = TEST_SECRETS;

const findings = z.array(
  z.object({
    code: z.string(),
    field: z.string(),
    instead: z.string().nullable(),
    count: z.number(),
    examples: z.array(z.object({ key: z.string(), value: z.string().nullable() })),
  }),
);
const doneShape = z.object({
  cursor: z.string().nullable(),
  read: z.number(),
  written: z.number(),
  known: z.number(),
  refused: findings,
  changed: findings,
  unknownColumns: z.array(z.string()),
});

type Cell = string | number | null;
type OldRow = Readonly<Record<string, Cell>>;

let files = 0;
/** Another file each time it is called. */
function newSource(): string {
  files += 1;
  return files.toString(16).padStart(32, "0");
}

interface Batch {
  readonly source: string;
  readonly after: string | null;
  readonly cursor: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly Cell[] | null }[];
}

/** A batch with these rows, whose keys count from 1; the first row has all the columns. */
function batchOf(rows: readonly OldRow[], changes: Partial<Batch> = {}): Batch {
  const columns = Object.keys(rows[0] ?? { Id: 1 });
  return {
    source: newSource(),
    after: null,
    cursor: `[${rows.length}]`,
    columns,
    rows: rows.map((row, index) => ({
      key: String(index + 1),
      cells: columns.map((name) => row[name] ?? null),
    })),
    ...changes,
  };
}

async function take(table: string, batch: Batch) {
  const response = await send("POST", `/api/import/${table}`, batch);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return doneShape.parse(JSON.parse(text));
}

const receipt = (changes: OldRow = {}): OldRow => ({
  RunId: "9b2f6c1e-0000-4000-8000-000000000001",
  AgentId: "ledger",
  Trigger: "User",
  Model: "gpt-4o",
  Status: "Completed",
  Steps: 3,
  ToolCalls: "2",
  InputTokens: 100,
  OutputTokens: 20,
  CostUsd: 0.0123,
  StartedAt: "2025-03-01 10:00:00",
  FinishedAt: "2025-03-01T10:00:02.5000000Z",
  ...changes,
});
const call = (changes: OldRow = {}): OldRow => ({
  RunId: "run-1",
  AgentId: "ledger",
  ToolName: "Mail",
  Arguments: '{"action":"send"}',
  Success: 1,
  Timestamp: "2025-03-01 10:00:01",
  ...changes,
});
const message = (changes: OldRow = {}): OldRow => ({
  FromAgentId: "ledger",
  ToAgentId: "archive",
  Channel: "ask",
  Direction: "request",
  Content: "Where is the invoice?",
  RunId: "run-1",
  ParentRunId: null,
  RootRunId: "run-1",
  TaskId: null,
  Status: "delivered",
  OccurredAt: "2025-03-01T10:00:01Z",
  ...changes,
});

const runShape = z.object({ receipt: receiptShape, audit: z.array(z.looseObject({ tool: z.string() })) });

describe("an imported run", () => {
  it("is its own root where its row has no lineage, and shows with its calls and in its chain", async () => {
    const runId = "9b2f6c1e-0000-4000-8000-000000000001";
    expect(await take("RunReceipts", batchOf([receipt()]))).toMatchObject({
      read: 1,
      written: 1,
      refused: [],
    });
    await take("AuditLog", batchOf([call({ RunId: runId })]));
    await take("AgentMessages", batchOf([message({ RunId: runId, RootRunId: "" })]));
    const shown = runShape.parse(await get(`/api/runs/${runId}`));
    expect(shown.receipt).toMatchObject({
      rootRunId: runId,
      parentRunId: null,
      trigger: "chat",
      status: "completed",
      costUsd: 0.0123,
      steps: 3,
      toolCalls: 2,
      startedAt: "2025-03-01T10:00:00.000Z",
      finishedAt: "2025-03-01T10:00:02.500Z",
      durationMs: 2_500,
      cachedInputTokens: null,
    });
    expect(shown.audit).toEqual([expect.objectContaining({ tool: "Mail", rootRunId: runId, outcome: "ok" })]);
    expect(await get(`/api/chains/${runId}`)).toMatchObject({
      runs: [{ runId, costUsd: 0.0123 }],
      messages: [{ content: "Where is the invoice?", rootRunId: runId }],
    });
  });

  it("keeps its lineage where there is one, whatever the columns' spelling", async () => {
    const child = { run_id: "snake-child", parent_run_id: "snake-root", root_run_id: "snake-root" };
    const root = { run_id: "snake-root", parent_run_id: null, root_run_id: "snake-root" };
    const rest = { agent_id: "ledger", status: "TIMED_OUT", started_at: 1_740_823_200, duration: "00:01:30" };
    await take(
      "RunReceipts",
      batchOf([
        { ...root, ...rest },
        { ...child, ...rest },
      ]),
    );
    expect(await get("/api/chains/snake-root")).toMatchObject({
      totals: { runs: 2, depth: 2, costUsd: null },
    });
    expect(runShape.parse(await get("/api/runs/snake-child")).receipt).toMatchObject({
      parentRunId: "snake-root",
      status: "timeout",
      durationMs: 90_000,
      startedAt: "2025-03-01T10:00:00.000Z",
    });
  });

  it("never gets a cost that nobody knows", async () => {
    const costs = [null, "", "unknown", -1, "$0.5", 0, "1e-3"];
    const rows = costs.map((CostUsd, index) => receipt({ RunId: `cost-${index}`, CostUsd }));
    const done = await take("RunReceipts", batchOf(rows));
    const shown = await Promise.all(
      costs.map(async (_, index) => runShape.parse(await get(`/api/runs/cost-${index}`)).receipt.costUsd),
    );
    expect(shown).toEqual([null, null, null, null, 0.5, 0, 0.001]);
    expect(done.changed).toContainEqual(
      expect.objectContaining({ field: "costUsd", code: "unreadable", instead: null }),
    );
  });
});

describe("a time", () => {
  const SAME = "2025-03-01T10:00:00.000Z";
  it.each([
    "2025-03-01T10:00:00Z",
    "2025-03-01 10:00:00",
    "2025-03-01 10:00:00.0000000",
    "2025-03-01T12:00:00+02:00",
    "2025-03-01 12:00:00 +0200",
    "01.03.2025 10:00:00",
    "Sat, 01 Mar 2025 10:00:00 GMT",
    1_740_823_200,
    "1740823200",
    1_740_823_200_000,
    1_740_823_200_000_000,
    "638764200000000000",
    2_460_735.916_666_666_5,
  ])("written as %s is read", async (Timestamp) => {
    const RunId = `time-${Timestamp}`;
    expect(await take("AuditLog", batchOf([call({ RunId, AgentId: "clock", Timestamp })]))).toMatchObject({
      written: 1,
    });
    const entry = (await audit("?agentId=clock&limit=500")).find((one) => one.runId === RunId);
    expect(entry).toMatchObject({ occurredAt: SAME });
  });

  it.each([
    "",
    null,
    "yesterday",
    "2025-02-30 10:00:00",
    "0001-01-01T00:00:00",
    "3/1/2025 10:00",
    0,
    -5,
    1e300,
  ])("written as %j is refused with its row", async (Timestamp) => {
    const done = await take("AuditLog", batchOf([call({ Timestamp })]));
    expect(done).toMatchObject({ read: 1, written: 0, refused: [{ code: "bad_time", count: 1 }] });
  });
});

describe("L5: the instance's secrets", () => {
  it("are masked in every text of every table, and in what the answer tells", async () => {
    const bait = `so ${TEST_SECRET_A} it is`;
    const done = [
      await take(
        "RunReceipts",
        batchOf([
          receipt({
            RunId: "bait-run",
            AgentId: bait,
            Model: bait,
            Status: bait,
            Trigger: bait,
            Error: bait,
            Reason: bait,
          }),
        ]),
      ),
      await take(
        "AuditLog",
        batchOf([
          call({
            RunId: "bait-run",
            AgentId: bait,
            ToolName: bait,
            Arguments: JSON.stringify({ bait }),
            Error: bait,
          }),
        ]),
      ),
      await take(
        "AgentMessages",
        batchOf([
          message({ RunId: "bait-run", FromAgentId: bait, Content: bait, Channel: bait, [bait]: bait }),
        ]),
      ),
      await take(
        "AgentMessages",
        batchOf([message({ RunId: TEST_SECRET_A }), message({ TaskId: TEST_SECRET_A })]),
      ),
    ];
    expect(JSON.stringify(done)).not.toContain(TEST_SECRET_A);
    expect(done[3]?.refused.map(({ code, count }) => [code, count])).toEqual([
      ["bad_id", 1],
      ["bad_id", 1],
    ]);
    const tables = ["RunReceipts", "AuditLog", "AgentMessages"];
    const stored = await Promise.all(
      tables.map(async (table) => (await env.DB.prepare(`SELECT * FROM "${table}"`).all()).results),
    );
    const told = JSON.stringify(stored);
    expect(told).toContain("[secret:TEST_SECRET_A]");
    for (const piece of [TEST_SECRET_A, JSON.stringify(TEST_SECRET_A).slice(1, -1)])
      expect(told).not.toContain(piece);
  });
});

describe("the same rows once more", () => {
  it("are known and change nothing, nor are they counted twice", async () => {
    const rows = Array.from({ length: 50 }, (_, index) =>
      message({ Content: `pelican ${index}`, RunId: `again-${index}` }),
    );
    const batch = batchOf(rows);
    const source = batch.source;
    expect(await take("AgentMessages", batch)).toMatchObject({ read: 50, written: 50, known: 0 });
    const next = {
      ...batchOf([message({ Content: "pelican 50" })]),
      source,
      after: batch.cursor,
      cursor: "[51]",
    };
    const more = { ...next, rows: next.rows.map((row) => ({ ...row, key: "51" })) };
    expect(await take("AgentMessages", more)).toMatchObject({ written: 1 });
    expect(await take("AgentMessages", more)).toMatchObject({ written: 0, known: 1 });
    expect(await messages("?q=pelican&limit=500")).toHaveLength(51);
    expect(await get(`/api/import?source=${source}`)).toMatchObject({
      tables: { AgentMessages: { cursor: "[51]", read: 51, written: 51, known: 0 }, AuditLog: null },
    });
  });

  it("count as one where a file has a run twice", async () => {
    const done = await take(
      "RunReceipts",
      batchOf([receipt({ RunId: "twin" }), receipt({ RunId: "twin", Steps: 9 })]),
    );
    expect(done).toMatchObject({ read: 2, written: 1, known: 1 });
  });
});

describe("a row that does not fit", () => {
  it("is refused alone, with the reason and an example, and the rest is written", async () => {
    const rows = [
      message({ Content: "toucan stays" }),
      message({ Content: null }),
      message({ FromAgentId: " " }),
      message({ RunId: "x".repeat(300) }),
      message({ RunId: "a\u0000b" }),
      message({ OccurredAt: "soon" }),
    ];
    const done = await take("AgentMessages", batchOf(rows));
    expect(done).toMatchObject({ read: 6, written: 1, known: 0 });
    expect(done.refused.map(({ code, field, count }) => [code, field, count])).toEqual([
      ["no_content", "content", 1],
      ["no_agent", "fromAgentId", 1],
      ["bad_id", "runId", 2],
      ["bad_time", "occurredAt", 1],
    ]);
    expect(done.refused.at(-1)?.examples).toEqual([{ key: "6", value: "soon" }]);
    expect(await messages("?q=toucan")).toHaveLength(1);
  });

  it("says which columns and words have no place here, and what became of them", async () => {
    const done = await take("AuditLog", batchOf([call({ Success: "perhaps", IpAddress: "::1", Id: 1 })]));
    expect(done.unknownColumns).toEqual(["IpAddress"]);
    expect(done.changed).toEqual([
      {
        code: "unknown_word",
        field: "outcome",
        instead: "failed",
        count: 1,
        examples: [{ key: "1", value: "perhaps" }],
      },
    ]);
  });

  it("stays when it only lacks its run, under an id of its own", async () => {
    await take("AuditLog", batchOf([call({ RunId: null, AgentId: "orphan" })]));
    const [entry] = await audit("?agentId=orphan");
    expect(entry?.runId).toMatch(/^import:[0-9a-f]{40}$/);
    expect(entry?.rootRunId).toBe(entry?.runId);
  });
});

it("takes a text over the row limit whole, and finds it", async () => {
  const Content = `capybara ${"long ".repeat(500_000)}end`;
  await take("AgentMessages", batchOf([message({ Content })]));
  const [hit] = await messages("?q=capybara");
  expect(hit?.truncated).toBe(true);
  expect(await get(`/api/messages/${hit?.id}`)).toMatchObject({ content: Content });
});

it("keeps texts with quotes, NULs and halves of characters readable", async () => {
  await take(
    "AgentMessages",
    batchOf([message({ Content: "okapi '); DROP TABLE AuditLog;-- \u0000 \ud800 \u{1f40b}" })]),
  );
  expect((await messages("?q=okapi")).map(({ content }) => content)).toEqual([
    "okapi '); DROP TABLE AuditLog;-- \ufffd \ufffd \u{1f40b}",
  ]);
});

describe("a batch that is none", () => {
  const good = batchOf([message()]);
  const one = { key: "1", cells: good.columns.map(() => null) };
  it.each<[string, unknown]>([
    ["no object", []],
    ["no rows", { ...good, rows: undefined }],
    ["a source that is no fingerprint", { ...good, source: "../messages" }],
    ["too many rows", { ...good, rows: Array.from({ length: 251 }, () => one) }],
    ["too many columns", { ...good, columns: Array.from({ length: 301 }, (_, index) => `c${index}`) }],
    ["rows of another width", { ...good, rows: [{ key: "1", cells: [null] }] }],
    ["cells that are no values", { ...good, columns: ["a"], rows: [{ key: "1", cells: [{ $gt: 1 }] }] }],
    ["a key that is none", { ...good, rows: [{ ...one, key: "" }] }],
    ["what it does not know", { ...good, uid: "mine" }],
  ])("with %s is refused", async (_name, body) => {
    expect(await errorOf(await send("POST", "/api/import/AgentMessages", body))).toMatchObject({
      status: 400,
      code: "bad_request",
    });
  });

  it.each(["Tasks", "agentmessages", "constructor", "AuditLog%22"])(
    "for a table %s is answered 404",
    async (table) => {
      expect(await errorOf(await send("POST", `/api/import/${table}`, good))).toMatchObject({ status: 404 });
    },
  );
});
