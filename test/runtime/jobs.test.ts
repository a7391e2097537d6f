import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { World } from "../../core/engine/world.ts";
import { AgentJobs } from "../../core/jobs/agent-jobs.ts";
import { fail, noAction, wake, wakeStateless } from "../../core/tool.ts";
import { watching } from "../support/watcher-tool.ts";
import { delivered, eventually, get, send } from "./support/api.ts";
import {
  command,
  heldJob,
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
import { agent, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

/** A time that no test machine has reached. */
const FUTURE = Date.parse("2033-06-15T12:00:00Z");

async function settled(): Promise<void> {
  await jobsOver();
  await delivered();
}

describe("a schedule", () => {
  it("wakes the agent in its conversation, as a root of its own", async () => {
    await team([scheduled("s1", "0 12 * * *")]);
    await minute(noon());
    await settled();
    const [tick] = await ticks("s1", "work");
    expect(tick).toMatchObject({ outcome: "wake", cause: "time", scheduledAt: "2021-06-15T12:00:00.000Z" });
    expect(await get(`/api/runs/${tick?.runId}`)).toMatchObject({
      run: { trigger: "schedule", parentRunId: null, rootRunId: tick?.runId, input: "Do your work." },
      receipt: { status: "completed", trigger: "schedule" },
    });
    expect(await get("/api/agents/s1/conversation")).toMatchObject({ turns: [{ runId: tick?.runId }] });
  });

  it("wakes it in an isolated run when it is stateless", async () => {
    await team([
      scheduled("s2", "", {
        scheduler: [{ id: "work", cron: "0 12 * * *", taskMessage: "Alone.", stateless: true }],
      }),
    ]);
    await minute(noon());
    await settled();
    expect(await outcomes("s2", "work")).toEqual(["wake_stateless"]);
    expect(await get("/api/agents/s2/conversation")).toEqual({ turns: [] });
  });
});

describe("a tool job", () => {
  it("81: L7 leaves a record of each tick, also when there was nothing to do", async () => {
    await team([watcher("n1", "*/5 * * * *")]);
    watching.set("n1", () => noAction("nothing new"));
    for (const at of [0, 1, 5, 6, 10, 14, 15]) {
      await minute(noon(at));
      await settled();
    }
    const made = await ticks("n1");
    expect(made.map(({ outcome, summary }) => [outcome, summary])).toEqual(
      Array.from({ length: 4 }, () => ["no_action", "nothing new"]),
    );
    expect(made.map(({ scheduledAt }) => scheduledAt.slice(11, 16))).toEqual([
      "12:00",
      "12:05",
      "12:10",
      "12:15",
    ]);
    expect(watch.requests).toEqual([]);
  });

  it("100: wakes the agent only when there is news, with what it found", async () => {
    await team([watcher("n2", "*/5 * * * *")]);
    watching.set("n2", () => wake("Two letters came.", "2 letters"));
    await minute(noon(5));
    await settled();
    watching.set("n2", () => wakeStateless("One more."));
    await minute(noon(10));
    await settled();
    const [first, second] = await ticks("n2");
    expect([first?.outcome, first?.summary, second?.outcome]).toEqual([
      "wake",
      "2 letters",
      "wake_stateless",
    ]);
    expect(await get(`/api/runs/${first?.runId}`)).toMatchObject({
      run: { trigger: "job", input: "Two letters came.", lane: "conversation", parentRunId: null, depth: 1 },
    });
    expect(await get(`/api/runs/${second?.runId}`)).toMatchObject({
      run: { trigger: "job", input: "One more.", lane: "isolated" },
    });
  });

  it.each([
    ["throws", () => Promise.reject(new Error("the server said 500"))],
    ["gives what is no result", () => JSON.parse('{"ok":true}')],
    ["gives the result of a call", () => JSON.parse(JSON.stringify(fail("no")))],
    ["wakes with no words", () => wake("  ")],
    ["wakes with too many words", () => wake("x".repeat(300_000))],
  ])("99: has failed when it %s, and is no NoAction", async (name, code) => {
    const agentId = `f${name.length}`;
    await team([watcher(agentId, "* * * * *")]);
    watching.set(agentId, code);
    await minute(noon());
    await settled();
    expect((await outcomes(agentId)).at(-1)).toBe("failed");
    expect(watch.requests).toEqual([]);
  });

  it("99: has failed, not found nothing, when its tool has no settings or lacks a secret", async () => {
    const tools = { Watcher: { token: { $secret: "NOT_SET_ANYWHERE" } } };
    await team([watcher("f1", "* * * * *", { tools: {} }), watcher("f2", "* * * * *", { tools })]);
    await minute(noon());
    await settled();
    expect([await outcomes("f1"), await outcomes("f2")].map((list) => list.at(-1))).toEqual([
      "failed",
      "failed",
    ]);
    expect((await ticks("f2")).at(-1)?.summary).toContain("NOT_SET_ANYWHERE");
  });

  it("102 and 74: is let go when it never settles, so that the next tick runs", async () => {
    await team([watcher("h1", "* * * * *")]);
    watching.set("h1", () => new Promise(() => undefined));
    await minute(noon(1));
    await settled();
    watching.set("h1", () => noAction());
    await minute(noon(2));
    await settled();
    expect(await outcomes("h1")).toEqual(["timeout", "no_action"]);
  });

  it("102: of which not even the end can be written down holds up no other, and its object goes on", async () => {
    await team([watcher("e1", "0 0 1 1 *")]);
    const stub = env.AGENTS.get(env.AGENTS.idFromName("e1"));
    await stub.status();
    await runInDurableObject(stub, async () => {
      const real = watch.worlds.get("e1");
      if (real === undefined) throw new Error("e1 is not up");
      let broken = false;
      watching.set("e1", () => {
        broken = true;
        return noAction();
      });
      const failed: string[] = [];
      const held: Partial<World> = {
        log: { ...real.log, error: (text) => void failed.push(text) },
        db: {
          ...real.db,
          transaction: (work) => {
            if (broken) throw new Error("the disk is full");
            return real.db.transaction(work);
          },
        },
      };
      const world = new Proxy(real, {
        get: (target, key) => Reflect.get(Object.hasOwn(held, key) ? held : target, key),
      });
      const own = new AgentJobs(world);
      expect(own.runNow("look", "1")).toMatchObject({ ok: true });
      await expect(own.nextEnd).resolves.toBeUndefined();
      expect(failed).toEqual([expect.stringContaining("could not be ended")]);
      await Promise.resolve();
      expect(own.nextEnd).toBeNull();
      broken = false;
      // As after a restart.
      new AgentJobs(world);
    });
    await settled();
    expect(await outcomes("e1")).toEqual(["interrupted"]);
  });

  it("78: does not overlap itself; what comes meanwhile is skipped, with a record", async () => {
    await team([watcher("o1", "* * * * *")]);
    const held = heldJob("o1");
    const before = looked("o1");
    await minute(noon(1));
    await minute(noon(2));
    await minute(noon(3));
    expect(await jobOf("o1")).toMatchObject({ running: true });
    held.release();
    await settled();
    expect(looked("o1") - before).toBe(1);
    expect((await outcomes("o1")).sort()).toEqual(["no_action", "skipped", "skipped"]);
  });

  it("85: that is slow holds up no other, of its own agent or of another", async () => {
    const two = ["look", "other"].map((jobId) => ({
      jobId,
      toolName: "Watcher",
      jobTypeId: "look",
      cron: "* * * * *",
    }));
    await team([watcher("slow", "* * * * *"), watcher("quick", "* * * * *", { toolJobs: two })]);
    const held = heldJob("slow");
    await minute(noon(1));
    await eventually(async () => (await outcomes("quick", "other")).length === 1);
    expect((await jobOf("slow")).running).toBe(true);
    held.release();
    await settled();
    expect(await outcomes("quick")).toEqual(["no_action"]);
  });

  it("tells a person once when it goes wrong three times in a row", async () => {
    await team([watcher("w1", "* * * * *")]);
    watching.set("w1", () => Promise.reject(new Error("gone")));
    for (const at of [0, 1, 2, 3, 4]) {
      await minute(noon(at));
      await settled();
    }
    const notices = JSON.stringify(await get("/api/notices"));
    expect(notices.match(/Job look of w1/g)).toHaveLength(1);
  });
});

describe("commands of a person", () => {
  it("run a job now, once, and are refused while it runs", async () => {
    await team([watcher("c1", "0 0 1 1 *"), scheduled("c2", "0 0 1 1 *")]);
    const held = heldJob("c1");
    const begun = await command("c1", "run");
    expect(begun.status).toBe(202);
    expect(await begun.json()).toMatchObject({ agentId: "c1", jobId: "look" });
    expect((await command("c1", "run")).status).toBe(409);
    held.release();
    await settled();
    expect((await ticks("c1")).map(({ cause, outcome }) => [cause, outcome])).toEqual([
      ["person", "no_action"],
    ]);
    expect((await command("c2", "run", "work")).status).toBe(202);
    await settled();
    expect((await ticks("c2", "work")).map(({ cause, outcome }) => [cause, outcome])).toEqual([
      ["person", "wake"],
    ]);
  });

  it("switch a job off and on in its agent's document", async () => {
    await team([watcher("c3", "* * * * *")]);
    expect(await (await command("c3", "disable")).json()).toEqual({
      agentId: "c3",
      jobId: "look",
      enabled: false,
    });
    expect(await get("/api/agents/c3")).toMatchObject({ toolJobs: [{ jobId: "look", enabled: false }] });
    expect(await jobOf("c3")).toMatchObject({ enabled: false, nextTick: null });
    await minute(noon(1));
    expect(await outcomes("c3")).toEqual([]);
    await command("c3", "enable");
    await minute(noon(2));
    await settled();
    expect((await outcomes("c3")).at(-1)).toBe("no_action");
  });

  it("switch a job in the newest document, also where its object has not got that yet", async () => {
    await team([watcher("c5", "* * * * *")]);
    const document = z.looseObject({}).parse(await get("/api/agents/c5"));
    const entry = { agentId: "c5", name: "C5", description: "changed meanwhile" };
    const json = JSON.stringify({ ...document, ...entry });
    await env.HUB.get(env.HUB.idFromName("hub")).putEntry({ entry, json });
    expect((await command("c5", "disable")).status).toBe(200);
    expect(await get("/api/agents/c5")).toMatchObject({
      description: "changed meanwhile",
      toolJobs: [{ jobId: "look", enabled: false }],
    });
    const changes = Array.from({ length: 6 }, (_, n) =>
      send("PUT", "/api/agents/c5", { ...document, description: `change ${n}` }),
    );
    const [switched] = await Promise.all([command("c5", "enable"), ...changes]);
    expect([200, 409]).toContain(switched?.status);
    expect(JSON.stringify(await get("/api/agents/c5"))).toContain("change ");
  });

  it("are answered 404 for what is not there, and no object is made for it", async () => {
    for (const path of [
      "nobody/look/run",
      "c3/none/run",
      "c3/none/enable",
      "No%20One/look/run",
      "c3/%2e%2e/run",
    ])
      expect((await send("POST", `/api/jobs/${path}`)).status, path).toBe(404);
    expect((await send("GET", "/api/jobs/c3/look/ticks?before=x")).status).toBe(400);
    expect((await send("GET", "/api/jobs/c3/look/ticks?limit=0")).status).toBe(400);
  });

  it("are refused for an agent that is paused, whose ticks are skipped", async () => {
    await team([watcher("c4", "* * * * *")]);
    await send("POST", "/api/agents/c4/pause");
    expect((await command("c4", "run")).status).toBe(409);
    await minute(noon(1));
    await settled();
    await send("POST", "/api/agents/c4/resume");
    await minute(noon(2));
    await settled();
    expect(await outcomes("c4")).toEqual(["skipped", "no_action"]);
  });
});

describe("the list of jobs", () => {
  it("shows schedules and tool jobs of all agents with last and next tick", async () => {
    await team([
      watcher("l1", "0 * * * *"),
      scheduled("l2", "30 9 * * 1", { timeZone: "Europe/Berlin" }),
      agent("l3"),
    ]);
    await minute(FUTURE);
    await settled();
    expect(await jobs()).toMatchObject([
      {
        agentId: "l1",
        kind: "toolJob",
        name: "Look",
        toolName: "Watcher",
        jobTypeId: "look",
        enabled: true,
        lastTick: { outcome: "no_action", scheduledAt: "2033-06-15T12:00:00.000Z" },
        nextTick: "2033-06-15T13:00:00.000Z",
      },
      {
        agentId: "l2",
        kind: "schedule",
        taskMessage: "Do your work.",
        cron: "30 9 * * 1",
        timeZone: "Europe/Berlin",
        nextTick: "2033-06-20T07:30:00.000Z",
      },
    ]);
  });

  it("shows nothing of what was taken out of the config", async () => {
    await team([watcher("l4", "* * * * *"), watcher("l5", "* * * * *", { toolJobs: [] })]);
    await send("DELETE", "/api/agents/l4");
    const before = looked("l4");
    await minute(noon(1));
    expect(await jobs()).toEqual([]);
    expect(looked("l4")).toBe(before);
  });
});
