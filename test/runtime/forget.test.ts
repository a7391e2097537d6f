/** Old runs leave their agent's object: the record has them. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { z } from "zod";
import { answerOf, chat, delivered, get, send } from "./support/api.ts";
import { agent, team } from "./support/team.ts";

const DAY_MS = 86_400_000;
const detail = z.looseObject({
  run: z.looseObject({ state: z.string() }),
  receipt: z.looseObject({ status: z.string() }),
  audit: z.array(z.looseObject({ tool: z.string(), outcome: z.string() })),
});
const conversation = z.object({ turns: z.array(z.looseObject({ runId: z.string() })) });

const stubOf = (name: string) => env.AGENTS.get(env.AGENTS.idFromName(name));

/** Lets so many days pass for what an object has taken so far. */
async function age(name: string, days: number): Promise<void> {
  await runInDurableObject(stubOf(name), (_, state) => {
    state.storage.sql.exec("UPDATE Runs SET acceptedAt = acceptedAt - ?", days * DAY_MS);
  });
}

/** Power off and on, so that the object looks for old runs at its next alarm; then that alarm. */
async function wake(name: string): Promise<void> {
  await runInDurableObject(stubOf(name), (_, state) => state.abort("a new day")).catch(() => undefined);
  await runInDurableObject(stubOf(name), (_, state) => state.storage.setAlarm(Date.now() + DAY_MS));
  await runDurableObjectAlarm(stubOf(name));
}

async function countRows(name: string, table: string): Promise<number> {
  return runInDurableObject(stubOf(name), (_, state) =>
    Number(state.storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n),
  );
}

const LONG = "long text ".repeat(150_000);

/** Reads a file in an isolated run. */
async function isolated(name: string) {
  return answerOf(await send("POST", `/api/agents/${name}/runs`, { message: `read ${LONG}` }));
}

const reader = (name: string) =>
  agent(name, {
    rules: [
      {
        when: { user: "read", step: 0 },
        calls: [{ name: "FileRW", arguments: { action: "list", path: "" } }],
      },
      { say: "done" },
    ],
  });

it("forgets an isolated run after a month, with all its texts, and answers for it from the record", async () => {
  await team([reader("old")]);
  const run = await isolated("old");
  await delivered();
  expect(await countRows("old", "LongTexts")).toBeGreaterThan(0);
  await age("old", 29);
  await wake("old");
  expect(await countRows("old", "Runs"), "not before its time").toBe(1);
  await age("old", 2);
  await wake("old");
  for (const table of ["Runs", "Steps", "Calls", "LongTexts"]) expect(await countRows("old", table)).toBe(0);
  const kept = detail.parse(await get(`/api/runs/${run.runId}`));
  expect(kept).toMatchObject({ run: { state: "ended" }, receipt: { status: "completed" } });
  expect(kept.audit.map((entry) => [entry.tool, entry.outcome])).toEqual([["FileRW", "ok"]]);
  expect(await countRows("old", "Runs")).toBe(0);
});

it("keeps the turns of the current conversation, and forgets them once it is another's", async () => {
  await team([reader("talk")]);
  const turn = await chat("talk", "remember this");
  await isolated("talk");
  await delivered();
  await age("talk", 60);
  await wake("talk");
  expect(await countRows("talk", "Runs")).toBe(1);
  const { turns } = conversation.parse(await get("/api/agents/talk/conversation"));
  expect(turns.map((entry) => entry.runId)).toEqual([turn.runId]);
  await send("DELETE", "/api/agents/talk/conversation");
  await wake("talk");
  expect(await countRows("talk", "Runs")).toBe(0);
});

it("L10 leaves a frozen chain frozen, and lets a person release it, when its root is forgotten", async () => {
  await team([reader("spender")], { perChain: { tokens: 1 } });
  const run = await isolated("spender");
  expect(run.status).toBe("budget");
  await delivered();
  await age("spender", 60);
  await wake("spender");
  expect(await countRows("spender", "Runs")).toBe(0);
  expect(await get(`/api/chains/${run.runId}`)).toMatchObject({ frozen: true });
  expect((await send("POST", `/api/chains/${run.runId}/release`)).status).toBe(200);
  expect(await get(`/api/chains/${run.runId}`)).toMatchObject({ frozen: false });
});

it("goes in batches, and comes back at once for the next", async () => {
  await team([agent("many")]);
  await runInDurableObject(stubOf("many"), (_, state) => {
    for (let run = 0; run < 70; run += 1)
      state.storage.sql.exec(
        `INSERT INTO Runs (runId, trigger, lane, priority, lineage, input, conversation, state, acceptedAt, settled)
         VALUES (?, 'run', 'isolated', 0, '{}', '=x', 1, 'ended', 1000, 1)`,
        `many.${run}`,
      );
  });
  await wake("many");
  expect(await countRows("many", "Runs")).toBe(20);
  const alarm = await runInDurableObject(stubOf("many"), (_, state) => state.storage.getAlarm());
  expect(alarm).toBeLessThan(Date.now() + DAY_MS);
});

it("waits for a run that is not over, whatever its age", async () => {
  await team([agent("stuck", { paused: true })]);
  await send("POST", "/api/agents/stuck/runs", { message: "hello", wait: false });
  await age("stuck", 60);
  await wake("stuck");
  expect(await countRows("stuck", "Runs")).toBe(1);
});
