/** What becomes of a question whose asker ends, or goes down, before it has the answer. */
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { delivered, eventually, get, send } from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const asker = agent("a", {
  rules: [{ when: { step: 0 }, calls: [ask("b", "long question")] }, { say: "heard: {{result}}" }],
});

async function start(): Promise<string> {
  const response = await send("POST", "/api/agents/a/runs", { message: "go", wait: false });
  return z.object({ runId: z.string() }).parse(await response.json()).runId;
}

function held(): { readonly until: Promise<void>; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { until: promise, release: resolve };
}

const chainShape = z.looseObject({
  runs: z.array(z.looseObject({ agentId: z.string(), status: z.string().nullable() })),
  messages: z.array(z.looseObject({ status: z.string() })),
});
const chainOf = async (runId: string) => chainShape.parse(await get(`/api/chains/${runId}`));
const ends = async (runId: string) =>
  (await chainOf(runId)).runs.map(({ agentId, status }) => `${agentId} ${status}`).sort();

describe("a question whose asker is cancelled", () => {
  it("ends with it, also when the colleague could not be reached just then", async () => {
    await team([asker, agent("b", { rules: [{ say: "never", delayMs: 30_000 }] })]);
    const runId = await start();
    // The colleague has said that it took the question.
    await eventually(async () => (await chainOf(runId)).messages[0]?.status === "delivered");
    watch.expiresLost = true;
    await send("POST", `/api/runs/${runId}/cancel`);
    await eventually(async () => (await ends(runId)).includes("a cancelled"));
    watch.expiresLost = false;
    await eventually(async () => (await ends(runId)).join() === "a cancelled,b cancelled");
    await delivered();
  });

  it("ends with it, also when it reaches the colleague only afterwards", async () => {
    await team([asker, agent("b", { rules: [{ say: "never", delayMs: 30_000 }] })]);
    const way = held();
    watch.asksHeld = way.until;
    const runId = await start();
    await eventually(async () => watch.trace.includes("a out"));
    await send("POST", `/api/runs/${runId}/cancel`);
    await eventually(async () => (await ends(runId)).includes("a cancelled"));
    await delivered();
    way.release();
    await eventually(async () => (await ends(runId)).join() === "a cancelled,b cancelled");
    await delivered();
  });
});

it("an answer is taken by an asker that was down, also when the budget would not allow the question any more", async () => {
  const members = [asker, agent("b", { rules: [{ say: "the answer" }] })];
  await team(members, { perChain: { runs: 2 } });
  const model = held();
  watch.modelHeld.set("b", model.until);
  const runId = await start();
  await eventually(async () => watch.trace.includes("b in"));
  await team(members, { perChain: { runs: 1 } });
  watch.moments = 0;
  watch.cut = { objectName: "a", at: 1 };
  model.release();
  await eventually(async () => watch.cuts === 1);
  await eventually(async () => (await ends(runId)).length === 2);
  await delivered();
  expect(
    watch.trace.filter((what) => what === "b in"),
    "b is asked once",
  ).toHaveLength(1);
  const asked = watch.requests.filter(({ objectName }) => objectName === "a").at(-1);
  expect(asked?.text).toContain("the answer");
});
