import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { everyMinute } from "../../workers/every-minute.ts";
import { delivered, get, send } from "./support/api.ts";
import { type Cost, countedEnv, NO_COST } from "./support/counted-env.ts";
import { jobsOver, looked, minute, noon } from "./support/jobs.ts";
import { agent, team } from "./support/team.ts";
import { agentCost, resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const AGENTS = 50;
const ids = Array.from({ length: AGENTS }, (_, index) => `fleet${index}`);

function fleet(crons: readonly [string, string, string, string]) {
  const [first, second, third, fourth] = crons;
  const job = (jobId: string, cron: string) => ({ jobId, toolName: "Watcher", jobTypeId: "look", cron });
  return ids.map((agentId) =>
    agent(agentId, {
      timeZone: "Europe/Berlin",
      tools: { Watcher: {} },
      toolJobs: [job("j1", first), job("j2", second), job("j3", third)],
      scheduler: [{ id: "s1", cron: fourth, taskMessage: "Good morning." }],
    }),
  );
}

async function settled(): Promise<void> {
  await jobsOver();
  await delivered();
}

async function hour(from: number): Promise<Cost> {
  const cost = { ...NO_COST };
  const counted = countedEnv(env, cost);
  for (let at = from; at < from + 60; at += 1) await everyMinute(counted, noon(at));
  return cost;
}

it("90: L10 an idle hour of 50 agents with 4 jobs each: no model call, 60 calls to the hub, no agent's object, a few rows", async () => {
  await team(fleet(["0 8 * * *", "30 8 * * 1-5", "0 0 1 * *", "0 7 * * *"]));
  await minute(noon());
  const cost = await hour(1);
  expect(cost).toMatchObject({ agentCalls: 0, hubCalls: 60, rowsWritten: 0 });
  expect(cost.rowsRead).toBeLessThanOrEqual(60 * 8);
  expect(watch.requests).toEqual([]);
});

it("90: L10 an idle minute after the instance's document was changed alone wakes nobody", async () => {
  await team(fleet(["0 8 * * *", "30 8 * * 1-5", "0 0 1 * *", "0 7 * * *"]), { perDay: { costUsd: 11 } });
  await team(fleet(["0 8 * * *", "30 8 * * 1-5", "0 0 1 * *", "0 7 * * *"]), { perDay: { costUsd: 22 } });
  const { versions } = z
    .object({ versions: z.array(z.object({ version: z.number() })) })
    .parse(await get("/api/config/versions"));
  await minute(noon(70));
  const back = await send("POST", "/api/config/rollback", { version: versions[1]?.version });
  expect(back.status).toBe(200);
  await minute(noon(71));
  const cost = { ...NO_COST };
  await everyMinute(countedEnv(env, cost), noon(72));
  expect(cost).toMatchObject({ agentCalls: 0, hubCalls: 1 });
});

it("91: L10 an hour of 50 agents whose jobs look every quarter of an hour and find nothing costs no model call", async () => {
  await team(fleet(["*/15 * * * *", "*/15 * * * *", "*/15 * * * *", "0 7 * * *"]));
  await minute(noon(59));
  await settled();
  const before = { ...agentCost };
  const looks = looked("fleet0");
  const cost = await hour(60);
  await settled();
  expect(looked("fleet0") - looks).toBe(4 * 3);
  expect(cost).toMatchObject({ agentCalls: 4 * AGENTS, hubCalls: 60 + 4 });
  const written = agentCost.statements - before.statements;
  expect(written).toBe(4 * 3 * AGENTS);
  expect(agentCost.hubCalls - before.hubCalls).toBeLessThanOrEqual(4 * AGENTS * 3);
  expect(agentCost.rowsRead - before.rowsRead).toBeLessThanOrEqual(written * 4);
  expect(agentCost.rowsWritten - before.rowsWritten).toBeLessThanOrEqual(written * 4);
  expect(watch.requests).toEqual([]);
}, 120_000);

it("90: L10 a day of an idle fleet makes no model call and no run", async () => {
  await team(fleet(["0 * * * *", "30 */2 * * *", "0 0 1 * *", "0 0 1 1 *"]).slice(0, 4));
  for (let at = 0; at < 24 * 60; at += 10) await minute(noon(at));
  await settled();
  expect(watch.requests).toEqual([]);
  expect(JSON.stringify(await get("/api/agents"))).not.toContain('"queued":1');
  expect(await env.DB.prepare("SELECT count(*) AS n FROM RunReceipts").first("n")).toBe(0);
}, 120_000);
