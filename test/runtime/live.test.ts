import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { LiveStreams } from "../../durable-objects/live-streams.ts";
import { chat, delivered, get, messages, request, send, TOKEN } from "./support/api.ts";
import { countedHub, door } from "./support/door.ts";
import { ended, inShort, type Seen, watchLive } from "./support/live.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const asker = agent("a", {
  rules: [{ when: { user: "ask", step: 0 }, calls: [ask("b", "and you?")] }, { say: "it says: {{result}}" }],
});
/** So often agents tell the feed at least: by then it has heard all that was before. */
const ALL_TOLD_MS = 200;
const office = async () => {
  await team([asker, agent("b")]);
  await new Promise((resolve) => setTimeout(resolve, ALL_TOLD_MS));
};
const message = (direction: string) => (seen: Seen) => seen.data.message?.direction === direction;
const ids = (seen: readonly Seen[]) => seen.map(({ id }) => id);
const messageIds = (seen: readonly Seen[]) => seen.flatMap(({ data }) => data.message?.uid ?? []);

/** Asks, and waits until that viewer has seen the end of it. */
async function askBefore(viewer: Awaited<ReturnType<typeof watchLive>>) {
  const answer = await chat("a", "ask");
  await viewer.until(ended(answer.runId));
  await viewer.until((seen) => message("response")(seen) && seen.data.message?.rootRunId === answer.runId);
  return answer;
}

describe("the live feed", () => {
  it("tells each run and message as it happens: the question before there is an answer", async () => {
    const baseUrl = inject("modelServer");
    const held = { provider: "openai", name: "held/live", baseUrl };
    await team([asker, agent("b", { model: held })]);
    const viewer = await watchLive();
    const chatting = chat("a", "ask");
    const before = [...(await viewer.until(message("request")))];
    expect(before.some(message("response"))).toBe(false);
    expect(before.map(inShort)).toContain("run a started");
    const runId = before.find(({ event }) => event === "run")?.data.runId ?? "";
    expect(await get(`/api/runs/${runId}`)).toMatchObject({ run: { state: "started" }, receipt: null });
    await fetch(`${baseUrl}/release/live`);
    await viewer.until(ended((await chatting).runId));
    const all = await viewer.until(message("response"));
    const short = all.map(inShort);
    expect(short.filter((text) => text.startsWith("run a"))).toEqual([
      "run a queued",
      "run a started",
      "run a ended",
    ]);
    expect(short.indexOf("message a request")).toBeLessThan(short.indexOf("message b response"));
    expect(short).toContain("run b ended");
    await viewer.leave();
    await delivered();
  });

  it("hears of the end of a run though the agent's object died before it told", async () => {
    await office();
    const viewer = await watchLive();
    watch.feedLost = true;
    // Else a quick delivery says that all is told.
    watch.d1Away = true;
    const { runId } = await chat("b", "hello");
    const b = env.AGENTS.get(env.AGENTS.idFromName("b"));
    await runInDurableObject(b, (_, state) => state.abort("restarted by the test")).catch(() => undefined);
    watch.feedLost = false;
    watch.d1Away = false;
    await get("/api/agents/b/conversation");
    const seen = await viewer.until(ended(runId));
    expect(seen.find(ended(runId))?.data.receipt).toMatchObject({ runId, status: "completed" });
    await viewer.leave();
    await delivered();
  });

  it("gives receipts and messages as the API does", async () => {
    await office();
    const viewer = await watchLive();
    const { runId, receipt } = await askBefore(viewer);
    const seen = await viewer.until(ended(runId));
    expect(seen.find(ended(runId))?.data.receipt).toEqual(receipt);
    await delivered();
    const recorded = (await messages()).filter((row) => row.rootRunId === runId);
    expect(recorded).toHaveLength(2);
    for (const { id: _id, ...row } of recorded)
      expect(seen.find(({ data }) => data.message?.uid === row.uid)?.data.message).toEqual(row);
    await viewer.leave();
  });

  it("tells what a person must know", async () => {
    const list = { name: "FileRW", arguments: { action: "list", path: "" } };
    await team([agent("c", { rules: [{ when: { step: 0 }, calls: [list] }, { say: "done" }] })], {
      perChain: { tokens: 1 },
    });
    const viewer = await watchLive();
    const { rootRunId } = await chat("c", "go");
    const seen = await viewer.until(({ event }) => event === "notice");
    expect(seen.find(({ event }) => event === "notice")?.data.notice).toMatchObject({
      kind: "chain_frozen",
      rootRunId,
    });
    await viewer.leave();
  });

  it("cuts long texts and says so", async () => {
    const asking = agent("a", {
      rules: [{ when: { step: 0 }, calls: [ask("b", "{{repeat:🎉:15000}}")] }, { say: "ok" }],
    });
    await team([asking, agent("b", { rules: [{ say: "short" }] })]);
    const viewer = await watchLive();
    const { runId } = await chat("a", "ask");
    await viewer.until(ended(runId));
    const seen = await viewer.until(message("response"));
    const question = seen.find(message("request"))?.data.message;
    expect(question).toMatchObject({ truncated: true, content: "🎉".repeat(10_000) });
    expect(seen.find(message("response"))?.data.message).toMatchObject({
      truncated: false,
      content: "short",
    });
    await viewer.leave();
  });
});

describe("a viewer that comes back", () => {
  it("misses nothing and sees nothing twice, wherever it left", async () => {
    await office();
    const staying = await watchLive();
    await askBefore(staying);
    const leaving = [...(await staying.until(message("response")))];
    for (let round = 0; round < 3; round += 1) await askBefore(staying);
    const { runId } = await askBefore(staying);
    const all = await staying.until(ended(runId));
    expect(ids(all)).toEqual(all.map((_, index) => (all[0]?.id ?? 0) + index));
    for (const at of [0, Math.floor(leaving.length / 2), leaving.length - 1, all.length - 2]) {
      const last = String(all[at]?.id);
      for (const viewer of [
        await watchLive({ "Last-Event-ID": last }),
        await watchLive({}, `?lastEventId=${last}`),
      ]) {
        const missed = await viewer.until(({ id }) => id === all.at(-1)?.id);
        expect(missed).toEqual(all.slice(at + 1));
        await viewer.leave();
      }
    }
    await staying.leave();
  });

  it.each(["", "abc", "-1", "1.5", "1e3", " ", "9".repeat(30)])(
    "with %j for an id starts at the present",
    async (last) => {
      await office();
      await chat("a", "ask");
      await delivered();
      const viewer = await watchLive({ "Last-Event-ID": last });
      const { runId } = await chat("b", "hello");
      const seen = await viewer.until(ended(runId));
      expect(seen.map(({ data }) => data.runId)).toEqual([runId, runId, runId]);
      await viewer.leave();
    },
  );

  const hub = () => env.HUB.get(env.HUB.idFromName("hub"));
  const event = (runId: string) =>
    ({ type: "run", runId, rootRunId: runId, agentId: "z", state: "queued", receipt: null }) as const;

  it("is told to load its page anew when its id is not one of this feed", async () => {
    const viewer = await watchLive({ "Last-Event-ID": "900000000" });
    const [reset] = await viewer.until(({ event }) => event === "reset");
    await hub().publish([event("z.afterwards")]);
    const seen = await viewer.until(({ data }) => data.runId === "z.afterwards");
    expect(seen.map(({ id }) => id)).toEqual([reset?.id, (reset?.id ?? 0) + 1]);
    await viewer.leave();
  });

  it("is told so when it missed more than it could be given at once, and can go on from there", async () => {
    const viewer = await watchLive();
    await hub().publish([event("z.start")]);
    const start = (await viewer.until(({ data }) => data.runId === "z.start")).at(-1)?.id;
    await viewer.leave();
    for (let n = 0; n < 12; n += 1) await hub().publish([event(`z.${"x".repeat(100_000)}${n}`)]);
    const back = await watchLive({ "Last-Event-ID": String(start) });
    const [reset] = await back.until(({ event }) => event === "reset");
    await back.leave();
    const again = await watchLive({ "Last-Event-ID": String(reset?.id) });
    await hub().publish([event("z.end")]);
    const seen = await again.until(({ data }) => data.runId === "z.end");
    expect(ids(seen)).toEqual([(reset?.id ?? 0) + 1]);
    await again.leave();
  });
});

describe("several viewers", () => {
  it("see the same, and one that leaves does not disturb the others", async () => {
    await office();
    const viewers = await Promise.all([watchLive(), watchLive(), watchLive()]);
    const [first, second, third] = viewers;
    await askBefore(first);
    await second.until(message("response"));
    await second.leave();
    const { runId } = await askBefore(first);
    const seen = await Promise.all([first.until(ended(runId)), third.until(ended(runId))]);
    const upToEnd = (all: readonly Seen[]) => ids(all.slice(0, all.findIndex(ended(runId)) + 1));
    expect(upToEnd(seen[0])).toEqual(upToEnd(seen[1]));
    await Promise.all([first.leave(), third.leave()]);
    expect((await chat("a", "ask")).status).toBe("completed");
  });
});

describe("while D1 is away", () => {
  it("the feed goes on, and tells nothing twice when D1 is back", async () => {
    await office();
    const viewer = await watchLive();
    watch.d1Away = true;
    const runs = [await askBefore(viewer), await askBefore(viewer)];
    expect(await messages()).not.toContainEqual(expect.objectContaining({ rootRunId: runs[1]?.runId }));
    watch.d1Away = false;
    await delivered();
    const { runId } = await askBefore(viewer);
    const told = messageIds(await viewer.until(ended(runId)));
    expect(told).toEqual([...new Set(told)]);
    expect(told).toHaveLength(6);
    await delivered();
    const recorded = (await messages()).map(({ uid }) => uid);
    expect(told.filter((uid) => !recorded.includes(uid))).toEqual([]);
    await viewer.leave();
  });

  it("and when D1 only takes its time, the feed does not wait for it", async () => {
    await office();
    const viewer = await watchLive();
    const { promise, resolve } = Promise.withResolvers<void>();
    watch.d1Held = promise;
    const chats = [await askBefore(viewer), await askBefore(viewer)];
    expect((await send("GET", `/api/runs/${chats[1]?.runId}`)).status).toBe(200);
    resolve();
    await delivered();
    await viewer.leave();
  });
});

it("gives who is new a place to come back to before anything has happened", async () => {
  const response = await request("/api/live", { headers: { Authorization: `Bearer ${TOKEN}` } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toMatch(/^id: \d+$/m);
  await reader?.cancel();
});

it("is not open to those without the token", async () => {
  expect((await request("/api/live", { headers: { Authorization: "Bearer no" } })).status).toBe(401);
});

it("gives its head without opening a stream that nobody reads", async () => {
  const hub = countedHub();
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const init = { method: "HEAD", headers };
  const head = await door.request("http://parley.test/api/live", init, hub.env);
  expect([head.status, head.headers.get("Content-Type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect(hub.calls()).toBe(0);
});

describe("the streams of the feed", () => {
  const limits = { streams: 2, behind: 10, allBehind: 15 };
  const opened = (stream: ReadableStream<Uint8Array> | null) => {
    if (stream === null) throw new Error("Too many are open");
    return stream.getReader();
  };
  const textOf = async (reader: ReadableStreamDefaultReader<Uint8Array>) =>
    new TextDecoder().decode((await reader.read()).value);

  it("end when what their reader came in with is over", async () => {
    let now = 1_000;
    const streams = new LiveStreams(() => now);
    const brief = new Response(streams.open("hello\n", 2_000)).text();
    const lasting = opened(streams.open("hello\n", null));
    await lasting.read();
    now = 2_000;
    streams.send("too late\n");
    expect(await brief).toBe("hello\n");
    expect(await textOf(lasting)).toBe("too late\n");
    streams.endAll();
    expect((await lasting.read()).done).toBe(true);
  });

  it("are so many at most, and one that ends makes room", async () => {
    const streams = new LiveStreams(() => 1_000, limits);
    const first = opened(streams.open("a", null));
    await first.read();
    streams.open("b", null);
    expect(streams.open("c", null)).toBeNull();
    streams.endAll();
    expect(streams.open("d", null)).not.toBeNull();
    streams.endAll();
  });

  it("hold so much at most: the slowest is dropped first, and who reads along stays", async () => {
    const streams = new LiveStreams(() => 1_000, { ...limits, streams: 3 });
    const [slow, slower, quick] = [
      opened(streams.open("12", null)),
      opened(streams.open("123", null)),
      opened(streams.open("1", null)),
    ];
    expect(await textOf(quick)).toBe("1");
    streams.send("12345");
    expect(await textOf(quick)).toBe("12345");
    streams.send("1");
    await expect(() => slower.read()).rejects.toThrow();
    expect(await textOf(slow)).toBe("12");
    expect(await textOf(quick)).toBe("1");
    streams.endAll();
  });
});
