import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { noAction, wake } from "../../core/tool.ts";
import { watching } from "../support/watcher-tool.ts";
import { delivered } from "./support/api.ts";
import { jobsOver, minute, noon, scheduled, ticks, watcher } from "./support/jobs.ts";
import { team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

/** More moments than any of these ticks has. */
const MAX_MOMENTS = 60;

async function settled(): Promise<void> {
  await jobsOver();
  await delivered();
}

async function runsOf(agentId: string): Promise<number> {
  return Number(
    await env.DB.prepare(`SELECT count(*) AS n FROM "RunReceipts" WHERE "AgentId" = ?`)
      .bind(agentId)
      .first("n"),
  );
}

/** A tick that finds a letter, with the power going at that moment, and the tick after it; whether it went. */
async function findLetter(agentId: string, at: number): Promise<boolean> {
  watching.set(agentId, async ({ state }) => {
    if ((await state.get("seen")) !== null) return noAction();
    // Something outside: until then, nothing of the tick has left the object.
    await env.CONFIG.get("no such key");
    await state.set("seen", "1");
    await state.list("");
    return wake("A letter came.", "1 letter");
  });
  await team([watcher(agentId, "* * * * *")]);
  resetWatch();
  watch.cut = { objectName: agentId, at };
  await minute(noon());
  await settled();
  const went = watch.cuts > 0;
  resetWatch();
  await minute(noon(1));
  await settled();
  const made = await ticks(agentId);
  const label = `cut at ${at}: ${made.map(({ outcome }) => outcome)}`;
  expect(
    made.map(({ scheduledAt }) => scheduledAt.slice(11, 16)),
    label,
  ).toEqual(["12:00", "12:01"]);
  expect(["wake,no_action", "interrupted,wake"], label).toContain(String(made.map(({ outcome }) => outcome)));
  expect(await runsOf(agentId), label).toBe(1);
  return went;
}

it("77: L7 a job cut off at any moment is on record as interrupted, and its news are told once all the same", async () => {
  let at = 1;
  const outcomes = new Set<string>();
  while (at < MAX_MOMENTS && (await findLetter(`p${at}`, at))) {
    outcomes.add((await ticks(`p${at}`))[0]?.outcome ?? "");
    at += 1;
  }
  expect(at).toBeGreaterThan(12);
  expect([...outcomes].sort()).toEqual(["interrupted", "wake"]);
}, 240_000);

it("L2 L7 a schedule cut off at any moment wakes its agent once, and the run ends once", async () => {
  let at = 1;
  for (let went = true; went && at < MAX_MOMENTS; at += 1) {
    const agentId = `q${at}`;
    await team([scheduled(agentId, "* * * * *")]);
    resetWatch();
    watch.cut = { objectName: agentId, at };
    await minute(noon());
    await settled();
    went = watch.cuts > 0;
    expect(
      (await ticks(agentId, "work")).map(({ outcome }) => outcome),
      `cut at ${at}`,
    ).toEqual(["wake"]);
    expect(await runsOf(agentId), `cut at ${at}`).toBe(1);
  }
  expect(at).toBeGreaterThan(6);
}, 240_000);

it("35: wakes that wait at the gate are all there after a restart, and run once", async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `s${index}`);
  await team([
    scheduled("full", "* * * * *", {
      scheduler: ids.map((id) => ({ id, cron: "* * * * *", taskMessage: `Do ${id}.` })),
    }),
  ]);
  const { promise, resolve } = Promise.withResolvers<void>();
  watch.modelHeld.set("full", promise);
  await minute(noon());
  watch.cut = { objectName: "full", at: 1 };
  resolve();
  watch.modelHeld.clear();
  await settled();
  expect(watch.cuts).toBe(1);
  expect(await runsOf("full")).toBe(10);
  for (const id of ids) expect(await ticks("full", id)).toMatchObject([{ outcome: "wake" }]);
});

it("L3 ticks wait in the agent's object while D1 is away, none is lost", async () => {
  await team([watcher("away", "* * * * *")]);
  watch.d1Away = true;
  for (const at of [0, 1, 2]) {
    await minute(noon(at));
    await jobsOver();
  }
  expect(await ticks("away")).toEqual([]);
  watch.d1Away = false;
  await minute(noon(3));
  await settled();
  expect((await ticks("away")).map(({ scheduledAt }) => scheduledAt.slice(14, 16))).toEqual([
    "00",
    "01",
    "02",
    "03",
  ]);
});
