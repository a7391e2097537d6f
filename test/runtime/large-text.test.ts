import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { MAX_ROW_TEXT_BYTES } from "../../core/limits.ts";
import { utf8Bytes } from "../../core/record/stored-text.ts";
import { chat, delivered, get, messageShape, messages } from "./support/api.ts";
import { recordTexts } from "./support/exposure.ts";
import { storedRows } from "./support/objects.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

/** The default cap of a text, with room for the note of what was cut and for JSON around it. */
const MOST_MESSAGE_CHARS = 20_500;
/** Scripted models count these texts as tokens; this is not about budgets. */
const RICH = {
  perChain: { tokens: 1_000_000_000, costUsd: 100_000 },
  perDay: { costUsd: 100_000 },
};

const TEXTS = [
  { name: "3 MB", unit: "all work ", times: 333_334 },
  { name: "700,000 four-byte characters", unit: "\u{1F9ED}", times: 700_000 },
] as const;

beforeEach(resetWatch);

describe("large texts", () => {
  it.each(TEXTS)(
    "cross an ask as question and as answer and read back whole: $name",
    async ({ unit, times }) => {
      const repeated = `{{repeat:${unit}:${times}}}`;
      await team([
        agent("a", {
          rules: [
            { when: { user: "go", step: 0 }, calls: [ask("b", `${repeated}?`)] },
            { when: { user: "go" }, say: "heard: {{result}}" },
          ],
        }),
        agent("b", { rules: [{ when: { user: "Question" }, say: `${repeated}!` }] }),
      ]);
      const { status, rootRunId } = await chat("a", "go");
      expect(status).toBe("completed");
      await delivered();
      const rows = (await messages("?a=a&b=b")).filter((row) => row.rootRunId === rootRunId);
      expect(rows.map(({ direction, truncated }) => [direction, truncated])).toEqual([
        ["request", true],
        ["response", true],
      ]);
      const whole = unit.repeat(times);
      const read = await Promise.all(rows.map(async ({ id }) => wholeMessage(String(id))));
      // Compared as booleans: a difference of megabytes is no readable failure.
      expect(read.map(({ content }, index) => content === `${whole}${"?!"[index]}`)).toEqual([true, true]);
      expect(read.map(({ truncated }) => truncated)).toEqual([false, false]);
      expectBoundedRequests();
      await expectRowsWithinLimits();
      expect((await chat("a", "still there?")).reply).toBe("a heard: still there?");
      expect((await chat("b", "still there?")).reply).toBe("b heard: still there?");
      expectBoundedRequests();
    },
  );

  it("go in as a chat message, out as a reply, and stay out of the next request", async () => {
    await team([agent("a")], RICH);
    const message = "what a day ".repeat(280_000);
    const { reply, status } = await chat("a", message);
    expect(status).toBe("completed");
    expect(reply).toContain("[cut: ");
    expect((await chat("a", "and now?")).reply).toBe("a heard: and now?");
    expectBoundedRequests();
    await delivered();
    await expectRowsWithinLimits();
  });

  it("in the arguments, the name or the error of a call leave every row within its limit", async () => {
    const long = "{{repeat:what now :400000}}";
    const calls = [
      { name: "FileRW", arguments: { action: "write", path: "long.txt", content: long } },
      { name: "FileRW", arguments: `{"action":"list","path":"","${long}":1}` },
      { name: long, arguments: {} },
      { name: "FileRW", arguments: `${long} is no JSON` },
      ask(long, long),
    ];
    await team(
      [agent("a", { rules: [{ when: { user: "go", step: 0 }, calls }, { say: "{{results}}" }] })],
      RICH,
    );
    const { status } = await chat("a", "go");
    expect(status).toBe("completed");
    await delivered();
    await expectRowsWithinLimits();
    expectBoundedRequests();
  });
});

async function wholeMessage(id: string) {
  return z.looseObject({ ...messageShape.shape }).parse(await get(`/api/messages/${id}`));
}

const requestShape = z.object({
  messages: z.array(
    z.object({
      content: z.string(),
      toolCalls: z.array(z.object({ name: z.string(), arguments: z.string() })).default([]),
    }),
  ),
});

/** Every message to a model is bounded, and where it is long the model is told what was cut. */
function expectBoundedRequests(): void {
  const requests = watch.requests.map(({ text }) => requestShape.parse(JSON.parse(text)));
  const texts = requests
    .flatMap(({ messages }) => messages)
    .flatMap(({ content, toolCalls }) => [
      content,
      ...toolCalls.flatMap((call) => [call.name, call.arguments]),
    ]);
  expect(texts.map(({ length }) => length).filter((length) => length > MOST_MESSAGE_CHARS)).toEqual([]);
  expect(texts.filter((text) => text.length > 15_000 && !text.includes("[cut: "))).toEqual([]);
}

/** The local runtime enforces no row limit, so the sizes are measured here. */
async function expectRowsWithinLimits(): Promise<void> {
  const rows = (await storedRows()).map(({ object, table, cells }) => ({
    where: `${object} ${table}`,
    bytes: Object.values(cells).reduce<number>((sum, cell) => sum + bytesOf(cell), 0),
  }));
  expect(rows.filter(({ bytes }) => bytes > MAX_ROW_TEXT_BYTES + 10_000)).toEqual([]);
  const columns = (await recordTexts()).map(({ where, text }) => ({ where, bytes: utf8Bytes(text) }));
  expect(columns.filter(({ bytes }) => bytes > MAX_ROW_TEXT_BYTES)).toEqual([]);
  const index = await env.DB.prepare(
    "SELECT max(length(CAST(block AS BLOB))) AS n FROM AgentMessagesFts_data",
  ).first("n");
  expect(Number(index)).toBeLessThanOrEqual(MAX_ROW_TEXT_BYTES);
}

function bytesOf(cell: unknown): number {
  return typeof cell === "string" ? utf8Bytes(cell) : 8;
}
