import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { NO_ROWS } from "../../core/record/rows.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { TICKS } from "../../core/retention/kept-tables.ts";
import { type OldRow, oldTicks } from "../../core/retention/old-rows.ts";
import { retain } from "../../core/retention/retain.ts";
import { surplusTicks } from "../../core/retention/surplus-ticks.ts";
import { noAction, wake, wakeStateless } from "../../core/tool.ts";
import { tickRow } from "../support/record-rows.ts";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { type WatchContext, watching } from "../support/watcher-tool.ts";
import { agentsShape, delivered, eventually, get, send } from "./support/api.ts";
import {
  jobOf,
  jobsOver,
  minute,
  noon,
  outcomes,
  scheduled,
  tickPage,
  ticks,
  watcher,
} from "./support/jobs.ts";
import { type Seen, watchLive } from "./support/live.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

async function settled(): Promise<void> {
  await jobsOver();
  await delivered();
}

async function receipts(agentId: string) {
  const { results } = await env.DB.prepare(
    `SELECT * FROM "RunReceipts" WHERE "AgentId" = ? ORDER BY "StartedAt"`,
  )
    .bind(agentId)
    .all();
  return results;
}

/** Its model answers only when told to. */
function busy(agentId: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  watch.modelHeld.set(agentId, promise);
  return { release: resolve };
}

async function startRun(agentId: string): Promise<void> {
  await send("POST", `/api/agents/${agentId}/runs`, { message: "work", wait: false });
  await eventually(async () => watch.trace.includes(`${agentId} in`));
}

async function queued(agentId: string): Promise<number | undefined> {
  return agentsShape.parse(await get("/api/agents")).find((each) => each.agentId === agentId)?.queued;
}

describe("94: a storm of wakes", () => {
  it("comes to one waiting run, which is told everything", async () => {
    await team([watcher("st1", "* * * * *")]);
    const { release } = busy("st1");
    await startRun("st1");
    let letter = 0;
    watching.set("st1", () => wake(`Letter ${++letter}.`));
    for (let at = 0; at < 100; at += 1) {
      await minute(noon(at));
      await jobsOver();
    }
    expect(await queued("st1")).toBe(1);
    release();
    await settled();
    const [, woken] = await receipts("st1");
    expect(await receipts("st1")).toHaveLength(2);
    const told = JSON.stringify(await get(`/api/runs/${woken?.RunId}`));
    for (const each of [1, 2, 50, 100]) expect(told).toContain(`Letter ${each}.`);
    expect(new Set((await ticks("st1")).map(({ runId }) => runId))).toEqual(new Set([woken?.RunId]));
  }, 60_000);

  it("keeps the news for later when what waits is too long already", async () => {
    await team([watcher("st2", "* * * * *")]);
    const { release } = busy("st2");
    await startRun("st2");
    watching.set("st2", async ({ state }) => {
      const seen = Number((await state.get("seen")) ?? 0) + 1;
      await state.set("seen", String(seen));
      return wake(`Letter ${seen}: ${"x".repeat(90_000)}`);
    });
    for (let at = 0; at < 4; at += 1) {
      await minute(noon(at));
      await jobsOver();
    }
    release();
    await settled();
    await minute(noon(4));
    await settled();
    expect(await outcomes("st2")).toEqual(["wake", "wake", "failed", "failed", "wake"]);
    const { runId } = (await ticks("st2")).at(-1) ?? {};
    expect(JSON.stringify(await get(`/api/runs/${runId}`))).toContain("Letter 3:");
  });

  it("does not mix what belongs into the conversation with what does not", async () => {
    await team([watcher("st3", "* * * * *")]);
    const { release } = busy("st3");
    await startRun("st3");
    watching.set("st3", () => wake("for the conversation"));
    await minute(noon());
    await jobsOver();
    watching.set("st3", () => wakeStateless("for itself"));
    await minute(noon(1));
    await jobsOver();
    release();
    await settled();
    expect(await receipts("st3")).toHaveLength(3);
  });

  it("78: a schedule whose run is not over is skipped", async () => {
    await team([scheduled("st4", "* * * * *")]);
    const { release } = busy("st4");
    for (let at = 0; at < 5; at += 1) await minute(noon(at));
    release();
    await settled();
    expect(await outcomes("st4", "work")).toEqual(["wake", "skipped", "skipped", "skipped", "skipped"]);
    expect(await receipts("st4")).toHaveLength(1);
  });
});

describe("a full queue", () => {
  it("delays a wake and loses none: a job finds the same news again, a schedule stays due", async () => {
    const both = { limits: { queue: 1 } };
    await team([watcher("fq1", "* * * * *", both), scheduled("fq2", "0 12 * * *", both)]);
    watching.set("fq1", async ({ state }) => {
      if ((await state.get("told")) !== null) return noAction();
      await state.set("told", "yes");
      return wake("news");
    });
    const held = ["fq1", "fq2"].map(busy);
    for (const agentId of ["fq1", "fq2"]) {
      await startRun(agentId);
      await send("POST", `/api/agents/${agentId}/runs`, { message: "work", wait: false });
    }
    await minute(noon());
    await jobsOver();
    for (const { release } of held) release();
    await settled();
    await minute(noon(1));
    await settled();
    await minute(noon(2));
    await settled();
    expect(await outcomes("fq1")).toEqual(["failed", "wake", "no_action"]);
    expect(await outcomes("fq2", "work")).toEqual(["wake"]);
    expect((await receipts("fq2")).map(({ Trigger }) => Trigger)).toEqual(["run", "run", "schedule"]);
  });
});

describe("a tool's state", () => {
  it("changes only when the tick succeeds", async () => {
    await team([watcher("ts1", "* * * * *")]);
    watching.set("ts1", async ({ state }) => {
      await state.set("a", "1");
      await state.set("b", "2");
      await state.delete("b");
      expect([await state.get("a"), await state.get("b"), await state.list("")]).toEqual(["1", null, ["a"]]);
      throw new Error("and then it broke");
    });
    await minute(noon());
    await settled();
    watching.set("ts1", async ({ state }) =>
      noAction(`${await state.get("a")} ${(await state.list("")).length}`),
    );
    await minute(noon(1));
    await settled();
    expect((await ticks("ts1")).map(({ summary }) => summary)).toEqual(["and then it broke", "null 0"]);
  });

  it.each([
    ["that ended", () => noAction()],
    ["that failed", () => Promise.reject(new Error("no"))],
    ["that timed out", () => new Promise<never>(() => undefined)],
  ])("L8 cannot be changed by a context that leaked out of a tick %s", async (name, end) => {
    const agentId = `leak-${name.slice(5).replace(" ", "-")}`;
    const leaked: WatchContext[] = [];
    await team([watcher(agentId, "* * * * *")]);
    watching.set(agentId, (context) => {
      leaked.push(context);
      return end();
    });
    await minute(noon());
    await settled();
    const [context] = leaked;
    await expect(context?.state.set("x", "leaked")).rejects.toThrow("over");
    await expect(context?.state.delete("x")).rejects.toThrow("over");
    await expect(context?.state.get("x")).rejects.toThrow("over");
    watching.set(agentId, async ({ state }) => noAction(JSON.stringify(await state.list(""))));
    await minute(noon(1));
    await settled();
    expect((await ticks(agentId)).at(-1)?.summary).toBe("[]");
  });

  it("L8 a job sees its own agent's config and state alone, spoilt contexts do no harm", async () => {
    await team([watcher("own1", "* * * * *"), watcher("own2", "* * * * *")]);
    watching.set("own1", async (context) => {
      await context.state.set("mine", context.toolConfig.mark);
      for (const key of Object.keys(context)) Reflect.set(context, key, "spoilt");
      return noAction();
    });
    watching.set("own2", async ({ state, toolConfig }) =>
      noAction(JSON.stringify([await state.list(""), toolConfig.mark])),
    );
    await minute(noon());
    await settled();
    await minute(noon(1));
    await settled();
    expect((await ticks("own2")).map(({ summary }) => summary)).toEqual(['[[],"own2"]', '[[],"own2"]']);
    expect(await outcomes("own1")).toEqual(["no_action", "no_action"]);
  });
});

describe("the rest", () => {
  it("L5 what a job says is masked wherever it goes", async () => {
    const { TEST_SECRET_A } = TEST_SECRETS;
    await team([
      watcher("sec", "* * * * *", { tools: { Watcher: { token: { $secret: "TEST_SECRET_A" } } } }),
    ]);
    watching.set("sec", ({ toolConfig }) => wake(`It is ${toolConfig.token}`, `saw ${toolConfig.token}`));
    await minute(noon());
    await settled();
    watching.set("sec", ({ toolConfig }) =>
      Promise.reject(new Error(`at https://x/?key=${toolConfig.token}`)),
    );
    await minute(noon(1));
    await settled();
    const made = await ticks("sec");
    expect(made.map(({ summary }) => summary)).toEqual([
      "saw [secret:TEST_SECRET_A]",
      expect.stringContaining("[secret"),
    ]);
    expect(JSON.stringify([made, await get(`/api/runs/${made[0]?.runId}`)])).not.toContain(TEST_SECRET_A);
  });

  it("101: a chain that a job began is cancelled like any other", async () => {
    await team([
      watcher("ch1", "* * * * *", {
        tools: { Watcher: {}, AskAgent: {} },
        rules: [{ when: { step: 0 }, calls: [ask("ch2", "how long?")] }, { say: "done" }],
      }),
      agent("ch2"),
    ]);
    const { release } = busy("ch2");
    watching.set("ch1", () => wake("Ask around."));
    await minute(noon());
    await eventually(async () => watch.trace.includes("ch2 in"));
    const { lastTick } = await jobOf("ch1");
    await send("POST", `/api/chains/${lastTick?.runId}/cancel`);
    release();
    await settled();
    const ends = [...(await receipts("ch1")), ...(await receipts("ch2"))];
    expect(ends.map(({ Status }) => Status)).toEqual(["cancelled", "cancelled"]);
  });

  it("the live feed tells when a tick starts and when it ends", async () => {
    await team([watcher("lv", "* * * * *")]);
    const viewer = await watchLive();
    const isLv = ({ event, data }: Pick<Seen, "event" | "data">) => event === "job" && data.agentId === "lv";
    await minute(noon());
    const seen = await viewer.until(({ event, data }) => isLv({ event, data }) && data.state === "ended");
    const events = seen.filter(isLv);
    expect(events.map(({ data }) => data)).toMatchObject([
      { jobId: "look", state: "started", tick: { cause: "time", scheduledAt: "2021-06-15T12:00:00.000Z" } },
      { jobId: "look", state: "ended", tick: { outcome: "no_action" } },
    ]);
    await viewer.leave();
    await settled();
  });

  it("ticks are listed in pages, newest first, and go after 30 days or when there are too many", async () => {
    const at = (day: number, index: number) => new Date(Date.UTC(2030, 0, day, 0, 0, index)).toISOString();
    const rows = [1, 20, 40].flatMap((day) =>
      Array.from({ length: 4 }, (_, index) =>
        tickRow(`old:${day}:${index}`, {
          agentId: "old",
          jobId: `j${index % 2}`,
          finishedAt: at(day, index),
        }),
      ),
    );
    await writeRecord(env.DB, env.TEXTS, { ...NO_ROWS, ticks: rows });
    const first = await tickPage("old", "j0", "?limit=4");
    const second = await tickPage("old", "j0", `?limit=4&before=${first.older}`);
    expect(second.older).toBeNull();
    expect([...first.ticks, ...second.ticks].map(({ uid }) => uid)).toEqual(
      [40, 20, 1].flatMap((day) => [`old:${day}:2`, `old:${day}:0`]),
    );
    const goes = (select: () => Promise<OldRow[]>) =>
      retain(
        { db: env.DB, texts: env.TEXTS, now: Date.now },
        { table: TICKS, select, archive: false, batches: 9 },
      );
    await goes(() => oldTicks(env.DB, at(10, 0), 100));
    expect((await tickPage("old", "j0")).ticks).toHaveLength(4);
    await goes(() => surplusTicks(env.DB, 1, 100));
    expect((await tickPage("old", "j0")).ticks.map(({ uid }) => uid)).toEqual(["old:40:2"]);
    expect((await tickPage("old", "j1")).ticks.map(({ uid }) => uid)).toEqual(["old:40:3"]);
  });
});
