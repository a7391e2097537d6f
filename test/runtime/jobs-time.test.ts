import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { noAction, wake } from "../../core/tool.ts";
import { again } from "../../durable-objects/again.ts";
import { everyMinute } from "../../workers/every-minute.ts";
import { watching } from "../support/watcher-tool.ts";
import { delivered, eventually, send } from "./support/api.ts";
import {
  command,
  jobOf,
  jobs,
  jobsOver,
  looked,
  minute,
  noon,
  outcomes,
  scheduled,
  ticks,
  watcher,
} from "./support/jobs.ts";
import { team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

async function settled(): Promise<void> {
  await jobsOver();
  await delivered();
}

const HOUR = 60;
const DAY = 24 * HOUR;

/** Ends an agent's object as a deploy or a crash does. */
async function restart(agentId: string): Promise<void> {
  const stub = env.AGENTS.get(env.AGENTS.idFromName(agentId));
  resetWatch();
  watch.cut = { objectName: agentId, at: 1 };
  await again(async () => stub.status()).catch(() => undefined);
  watch.cut = null;
}

const times = async (agentId: string, jobId = "look") =>
  (await ticks(agentId, jobId)).map(({ outcome, scheduledAt }) => `${outcome} ${scheduledAt.slice(5, 16)}`);

describe("L7 a tick runs once", () => {
  it("69: also when several triggers race, or come again for a time that is past", async () => {
    await team([watcher("t1", "*/5 * * * *"), scheduled("t2", "*/5 * * * *")]);
    await Promise.all(Array.from({ length: 10 }, () => minute(noon())));
    await minute(noon());
    await settled();
    await Promise.all(Array.from({ length: 10 }, () => minute(noon(5))));
    await settled();
    for (const back of [5, 4, 0, -HOUR, -DAY, 3]) await minute(noon(back));
    await settled();
    const expected = ["06-15T12:00", "06-15T12:05"];
    expect(await times("t1")).toEqual(expected.map((time) => `no_action ${time}`));
    expect(await times("t2", "work")).toEqual(expected.map((time) => `wake ${time}`));
    await minute(noon(10));
    await settled();
    expect((await times("t1")).slice(2)).toEqual(["no_action 06-15T12:10"]);
  });

  it("70 and 71: downtime of three hours is caught up by one run; then the plan goes on as it was", async () => {
    await team([watcher("t3", "*/10 * * * *"), scheduled("t4", "0 * * * *")]);
    await minute(noon());
    await settled();
    await minute(noon(3 * HOUR + 5));
    await settled();
    expect((await outcomes("t3")).slice(1)).toEqual(["missed 17", "no_action"]);
    expect(await times("t4", "work")).toEqual(["wake 06-15T12:00", "missed 06-15T14:00", "wake 06-15T15:00"]);
    await minute(noon(3 * HOUR + 6));
    await minute(noon(3 * HOUR + 10));
    await settled();
    expect((await times("t3")).slice(2)).toEqual(["no_action 06-15T15:00", "no_action 06-15T15:10"]);
  });

  it("80: three days of a daily job are three runs, at the local time", async () => {
    await team([scheduled("t5", "0 9 * * *", { timeZone: "Europe/Vienna" })]);
    await minute(noon());
    for (let at = HOUR; at <= 3 * DAY; at += HOUR) await minute(noon(at));
    await settled();
    expect(await times("t5", "work")).toEqual(["wake 06-16T07:00", "wake 06-17T07:00", "wake 06-18T07:00"]);
  });

  it("83: runs once right after the gap, and once where the time happens twice", async () => {
    const zone = { timeZone: "America/New_York" };
    await team([scheduled("t6", "30 2 * * *", zone), scheduled("t7", "30 1 * * *", zone)]);
    const gap = Date.parse("2021-03-14T06:00Z");
    const twice = Date.parse("2021-11-07T04:00Z");
    for (let at = 0; at < 3 * HOUR; at += 10) await minute(gap + at * 60_000);
    await settled();
    for (let at = 0; at < 4 * HOUR; at += 10) await minute(twice + at * 60_000);
    await settled();
    expect((await times("t6", "work"))[0]).toBe("wake 03-14T07:00");
    expect((await times("t7", "work")).filter((tick) => /03-14|11-07/.test(tick))).toEqual([
      "wake 03-14T06:30",
      "wake 11-07T05:30",
    ]);
  });
});

it("88: a job whose agent names no time zone goes by the instance's, and the API says so", async () => {
  const { timeZone: _none, ...unzoned } = watcher("z1", "0 9 * * *");
  await team([unzoned], { timeZone: "Asia/Kathmandu" });
  await minute(Date.parse("2021-06-15T03:15:00Z"));
  await settled();
  expect(await times("z1")).toEqual(["no_action 06-15T03:15"]);
  expect(await jobOf("z1")).toMatchObject({ timeZone: "Asia/Kathmandu" });
});

describe("a change of the config", () => {
  it("75: is obeyed at the next tick", async () => {
    await team([watcher("u1", "*/5 * * * *")]);
    await minute(noon());
    await settled();
    await send("PUT", "/api/agents/u1", watcher("u1", "7 * * * *"));
    for (const at of [5, 7, 10]) await minute(noon(at));
    await settled();
    expect((await times("u1")).filter((tick) => tick.startsWith("no_action"))).toEqual([
      "no_action 06-15T12:00",
      "no_action 06-15T12:07",
    ]);
  });

  it("L7 lets no trigger that comes late make a tick again that the job of before has made", async () => {
    await team([watcher("late", "0 12 * * *")]);
    await minute(noon());
    await settled();
    await send("PUT", "/api/agents/late", watcher("late", "0 12,13 * * *"));
    for (const at of [0, 1, 60]) await minute(noon(at));
    await settled();
    // The record would keep one row of a tick that was made twice.
    expect(looked("late")).toBe(2);
  });

  it("73: arms a new job at once, also when its object is restarted before the first tick", async () => {
    await team([watcher("u2", "30 * * * *")]);
    await minute(noon());
    await restart("u2");
    await minute(noon(30));
    await settled();
    expect(await times("u2")).toEqual(["no_action 06-15T12:30"]);
  });

  it("puts on record what the old plan still owed", async () => {
    await team([watcher("u3", "0 * * * *")]);
    await minute(Date.now() - 3 * 3_600_000);
    await settled();
    await team([watcher("u3", "0 0 1 1 *")]);
    await settled();
    expect((await outcomes("u3")).at(-1)).toMatch(/^missed [23]$/);
  });

  it("ends a job that is at work and taken away, and what it wanted does not happen", async () => {
    await team([watcher("u4", "* * * * *")]);
    const { promise, resolve } = Promise.withResolvers<void>();
    watching.set("u4", async ({ state }) => {
      await promise;
      await state.set("late", "yes");
      return wake("too late");
    });
    await minute(noon());
    await team([watcher("u4", "* * * * *", { toolJobs: [] })]);
    resolve();
    await settled();
    expect(await outcomes("u4")).toEqual(["interrupted"]);
    expect(await jobs()).toEqual([]);
    expect(watch.requests).toEqual([]);
  });

  it("keeps a job's id, and with it its record, over a push of the same file", async () => {
    await team([watcher("u5", "*/5 * * * *")]);
    await minute(noon());
    await settled();
    await team([watcher("u5", "*/5 * * * *")]);
    await minute(noon(15));
    await settled();
    expect(await outcomes("u5")).toEqual(["no_action", "missed 2", "no_action"]);
  });
});

describe("runOnStart", () => {
  const once = (agentId: string) =>
    watcher(agentId, "0 0 1 1 *", {
      toolJobs: [
        { jobId: "look", toolName: "Watcher", jobTypeId: "look", cron: "0 0 1 1 *", runOnStart: true },
      ],
    });

  it("L7 runs once for each version, however often the instance is told of it", async () => {
    await team([once("r1")]);
    await settled();
    await minute(noon());
    await team([once("r1")]);
    await restart("r1");
    await minute(noon(1));
    await settled();
    expect((await ticks("r1")).map(({ cause, outcome }) => `${cause} ${outcome}`)).toEqual([
      "start no_action",
    ]);
    const next = { ...env, CF_VERSION_METADATA: { id: "the next version" } };
    await everyMinute(next, noon(2));
    await settled();
    await everyMinute(next, noon(3));
    await minute(noon(4));
    await settled();
    expect(await outcomes("r1")).toEqual(["no_action", "no_action"]);
  });
});

describe("between full minutes", () => {
  it("L7 jobs run from the agent's own alarm, at times that each happen once", async () => {
    await team([watcher("v1", "* * * * * *"), watcher("v2", "0 0 1 1 *")]);
    await eventually(async () => (await ticks("v1")).length >= 4);
    await command("v1", "disable");
    await settled();
    const made = (await ticks("v1")).filter(({ outcome }) => outcome === "no_action");
    const at = made.map(({ scheduledAt }) => scheduledAt);
    expect(new Set(at).size).toBe(at.length);
    expect([...at].sort()).toEqual(at);
    expect(at.every((time) => time.endsWith(".000Z"))).toBe(true);
    const looks = looked("v1");
    expect(await jobOf("v1")).toMatchObject({ nextTick: null, running: false });
    expect(looked("v1")).toBe(looks);
    expect(await outcomes("v2")).toEqual([]);
  }, 60_000);

  it("74: they go on while a run of the agent is under way for long", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    watch.modelHeld.set("v3", promise);
    await team([watcher("v3", "* * * * * *")]);
    await send("POST", "/api/agents/v3/runs", { message: "work", wait: false });
    await eventually(async () => watch.trace.includes("v3 in"));
    watching.set("v3", () => noAction());
    const before = looked("v3");
    await eventually(async () => looked("v3") >= before + 3);
    await team([watcher("v3", "0 0 1 1 *")]);
    resolve();
    await settled();
  }, 60_000);
});
