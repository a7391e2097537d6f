import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { answerOf, audit, chat, delivered, get, messages, send } from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

/** More moments than any of these runs has. */
const MAX_MOMENTS = 80;

function append(path: string) {
  return { name: "FileRW", arguments: { action: "append", path, content: "x" } };
}

/** `a` asks, appends to a file and reads in one step, then asks again and reports. */
function story(a: string, b: string) {
  return team([
    agent(a, {
      rules: [
        {
          when: { user: "go", step: 0 },
          calls: [
            ask(b, "first"),
            append("log.txt"),
            { name: "FileRW", arguments: { action: "list", path: "" } },
          ],
        },
        { when: { user: "go", step: 1 }, calls: [ask(b, "second")] },
        { when: { user: "go", step: 2 }, say: "all done" },
        { say: "still here" },
      ],
    }),
    agent(b, { rules: [{ when: { user: "/(first|second)/" }, say: "answer to {{user.1}}" }] }),
  ]);
}

const receiptCount = (runId: string) =>
  env.DB.prepare('SELECT count(*) AS n FROM "RunReceipts" WHERE "RunId" = ?').bind(runId).first("n");

async function fileText(rootPath: string): Promise<string> {
  const listed = await env.FILES.list();
  const found = listed.objects.find((object) => object.key.includes(`/${rootPath}/`));
  return found === undefined ? "" : ((await (await env.FILES.get(found.key))?.text()) ?? "");
}

const conversation = z.object({
  turns: z.array(
    z.looseObject({
      status: z.string().nullable(),
      steps: z.array(
        z.object({
          calls: z.array(z.looseObject({ outcome: z.string().nullable(), result: z.string().nullable() })),
        }),
      ),
    }),
  ),
});

const chainShape = z.looseObject({
  runs: z.array(z.looseObject({ agentId: z.string(), status: z.string().nullable() })),
});

/** Everything that must be true of the story however often the power went. */
async function checkStory(a: string, b: string, runId: string): Promise<void> {
  await delivered();
  expect(await receiptCount(runId)).toBe(1);
  const { turns } = conversation.parse(await get(`/api/agents/${a}/conversation`));
  const calls = turns.flatMap((turn) => turn.steps.flatMap((step) => step.calls));
  expect(calls.length).toBe(4);
  expect(calls.every((call) => call.outcome !== null && call.result !== null)).toBe(true);
  expect((await fileText(a)).length).toBeLessThanOrEqual(1);
  const rows = await messages(`?a=${a}&b=${b}`);
  expect(rows.map((row) => [row.direction, row.status])).toEqual([
    ["request", "delivered"],
    ["response", "delivered"],
    ["request", "delivered"],
    ["response", "delivered"],
  ]);
  expect((await audit(`?agentId=${a}`)).length).toBe(4);
  const { runs } = chainShape.parse(await get(`/api/chains/${runId}`));
  expect(runs.map((run) => [run.agentId, run.status])).toEqual([
    [a, "completed"],
    [b, "completed"],
    [b, "completed"],
  ]);
}

it("L2 L3 ends a run once and as it should, with the power cut at any moment of it", async () => {
  let cuts = 0;
  const outcomes = new Set<string>();
  for (let at = 1; at <= MAX_MOMENTS; at += 1) {
    const [a, b] = [`a${at}`, `b${at}`];
    await story(a, b);
    resetWatch();
    watch.cut = { objectName: a, at };
    const answer = await answerOf(await send("POST", `/api/agents/${a}/chat`, { message: "go" }));
    expect(answer, `cut at ${at}`).toMatchObject({ status: "completed", reply: "all done" });
    await checkStory(a, b, answer.runId);
    const answers = watch.requests.filter((request) => request.objectName === b);
    expect(answers.length, `questions answered, cut at ${at}`).toBe(2);
    if (watch.cuts === 0) break;
    cuts += 1;
    for (const entry of await audit(`?agentId=${a}&tool=FileRW`)) outcomes.add(entry.outcome);
    expect(await chat(a, "hello")).toMatchObject({ status: "completed", reply: "still here" });
  }
  expect(cuts).toBeGreaterThan(20);
  expect([...outcomes].sort(), "an append cut off in the middle has an unknown outcome").toEqual([
    "interrupted",
    "ok",
  ]);
}, 240_000);

it("L2 L3 gives the asker its answer with the power of the answering agent cut at any moment", async () => {
  for (let at = 1; at <= MAX_MOMENTS; at += 1) {
    const [a, b] = [`c${at}`, `d${at}`];
    await story(a, b);
    resetWatch();
    watch.cut = { objectName: b, at };
    const answer = await answerOf(await send("POST", `/api/agents/${a}/chat`, { message: "go" }));
    expect(answer, `cut at ${at}`).toMatchObject({ status: "completed", reply: "all done" });
    await checkStory(a, b, answer.runId);
    if (watch.cuts === 0) break;
  }
}, 240_000);

it("L2 runs all of ten queued chats once when the power goes while the first is at work", async () => {
  await team([
    agent("queue", { rules: [{ when: { user: "/n(\\d+)/" }, say: "did {{user.1}}", delayMs: 30 }] }),
  ]);
  watch.cut = { objectName: "queue", at: 4 };
  const answers = await Promise.all(
    Array.from({ length: 10 }, async (_, index) =>
      answerOf(await send("POST", "/api/agents/queue/chat", { message: `n${index}` })),
    ),
  );
  expect(watch.cuts).toBe(1);
  expect(answers.map((answer) => answer.reply)).toEqual(answers.map((_, index) => `did ${index}`));
  await delivered();
  for (const answer of answers) expect(await receiptCount(answer.runId)).toBe(1);
  expect(watch.most.get("queue")).toBeLessThanOrEqual(2);
});

it("L3 goes on while D1 is away, shows what is unsent, and delivers everything once when it is back", async () => {
  await story("away", "awayb");
  watch.d1Away = true;
  const answer = await chat("away", "go");
  expect(answer).toMatchObject({ status: "completed", reply: "all done" });
  const detail = z
    .looseObject({ receipt: z.looseObject({ status: z.string() }) })
    .parse(await get(`/api/runs/${answer.runId}`));
  expect(detail.receipt.status).toBe("completed");
  const agents = z
    .array(z.looseObject({ agentId: z.string(), unsent: z.number() }))
    .parse(await get("/api/agents"));
  expect(agents.find((entry) => entry.agentId === "away")?.unsent).toBe(9);
  expect(await messages("?a=away")).toEqual([]);
  watch.d1Away = false;
  await checkStory("away", "awayb", answer.runId);
});
