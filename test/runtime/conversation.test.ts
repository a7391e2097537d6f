import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { answerOf, chat, get, request, send } from "./support/api.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const conversation = z.object({
  turns: z.array(z.looseObject({ input: z.string(), reply: z.string().nullable() })),
});
const inputs = async (agentId: string) =>
  conversation.parse(await get(`/api/agents/${agentId}/conversation`)).turns.map((turn) => turn.input);

function lastRequest(objectName: string): string {
  return watch.requests.filter((item) => item.objectName === objectName).at(-1)?.text ?? "";
}

describe("a conversation", () => {
  it("goes on over several chats, until a new one is started", async () => {
    await team([agent("a")]);
    await chat("a", "my name is Blue");
    await chat("a", "what is it?");
    expect(lastRequest("a")).toContain("my name is Blue");
    expect(await inputs("a")).toEqual(["my name is Blue", "what is it?"]);
    await send("DELETE", "/api/agents/a/conversation");
    expect(await inputs("a")).toEqual([]);
    await chat("a", "and now?");
    expect(lastRequest("a")).not.toContain("my name is Blue");
  });

  it("is not seen by an isolated run, nor does one leave anything in it", async () => {
    await team([agent("iso")]);
    await chat("iso", "in the conversation");
    const run = await answerOf(await send("POST", "/api/agents/iso/runs", { message: "apart" }));
    expect(run).toMatchObject({ status: "completed", receipt: { trigger: "run" } });
    expect(lastRequest("iso")).not.toContain("in the conversation");
    expect(await inputs("iso")).toEqual(["in the conversation"]);
  });

  it("keeps a turn that failed readable, and the next chat works", async () => {
    await team([
      agent("f", {
        rules: [{ when: { user: "fail" }, fail: { code: "bad_request", message: "no such thing" } }],
      }),
    ]);
    const failed = await chat("f", "fail now");
    expect(failed).toMatchObject({ status: "failed", receipt: { reason: "bad_request" } });
    expect(failed.receipt.error).toContain("no such thing");
    expect(await chat("f", "again")).toMatchObject({ status: "completed" });
    expect(lastRequest("f")).toContain("This run ended early: failed, bad_request.");
  });
});

describe("a conversation near the model's limit", () => {
  const model = (rules: unknown[]) => ({
    provider: "scripted",
    script: JSON.stringify({ rules, otherwise: { say: "noted" } }),
    contextTokens: 4_000,
    price: { inputPerMTok: 1, outputPerMTok: 1 },
  });
  const condensing = { when: { system: "Condense the following" }, say: "SUMMARY: colours were discussed" };
  const long = (word: string) => `${word} ${"lorem ipsum ".repeat(250)}`;

  it("is condensed: older turns become a summary, and every request stays under the limit", async () => {
    await team([agent("c", { model: model([condensing]) })]);
    for (const word of ["red", "green", "blue", "white", "black", "grey"]) await chat("c", long(word));
    const own = watch.requests.filter(
      (item) => item.objectName === "c" && !item.text.includes("Condense the following"),
    );
    expect(Math.max(...own.map((item) => item.text.length))).toBeLessThan(4_000 * 4);
    expect(lastRequest("c")).toContain("SUMMARY: colours were discussed");
    expect(lastRequest("c")).not.toContain("red lorem");
    expect(await inputs("c")).toHaveLength(6);
  });

  it("is recoverable when it is over the limit at the start", async () => {
    const roomy = { ...model([condensing]), contextTokens: 1_000_000 };
    await team([agent("r", { model: roomy })]);
    for (let turn = 0; turn < 12; turn += 1) await chat("r", long(`turn${turn}`));
    await team([agent("r", { model: model([condensing]) })]);
    expect(await chat("r", "and now?")).toMatchObject({ status: "completed", reply: "noted" });
    expect(lastRequest("r").length).toBeLessThan(4_000 * 4);
  });

  it("ends the run with context_overflow when the provider refuses every size", async () => {
    const refusing = {
      when: { system: "You are o" },
      fail: { code: "context_overflow", message: "prompt is too long" },
    };
    await team([agent("o", { model: model([condensing, refusing]) })]);
    const answer = await chat("o", "hello");
    expect(answer).toMatchObject({ status: "failed", receipt: { reason: "context_overflow" } });
    expect(watch.requests.filter((item) => item.objectName === "o").length).toBeLessThan(10);
  });

  it("ends the run with the reason when condensing fails", async () => {
    await team([agent("x", { model: { ...model([]), contextTokens: 1_000_000 } })]);
    for (let turn = 0; turn < 6; turn += 1) await chat("x", long(`turn${turn}`));
    const broken = {
      when: { system: "Condense the following" },
      fail: { code: "auth", message: "wrong key" },
    };
    await team([agent("x", { model: model([broken]) })]);
    expect(await chat("x", "hello")).toMatchObject({ status: "failed", receipt: { reason: "auth" } });
  });
});

describe("a model that misbehaves", () => {
  it("is stopped when it repeats the same call", async () => {
    const call = { name: "FileRW", arguments: { action: "list", path: "" } };
    await team([agent("loop", { rules: [{ calls: [call] }] })]);
    const answer = await chat("loop", "go");
    expect(answer).toMatchObject({ status: "failed", receipt: { reason: "repetition", steps: 6 } });
  });

  it("is stopped at its steps", async () => {
    const rules = Array.from({ length: 10 }, (_, step) => ({
      when: { step },
      calls: [{ name: "FileRW", arguments: { action: "read", path: `n${step}.txt` } }],
    }));
    await team([agent("steps", { rules, limits: { steps: 4 } })]);
    expect(await chat("steps", "go")).toMatchObject({
      status: "step_limit",
      receipt: { steps: 4, toolCalls: 4 },
    });
  });

  it.each([
    ["an unknown tool", { name: "NoSuchTool", arguments: {} }, "There is no function"],
    ["broken JSON", { name: "FileRW", arguments: "{broken" }, "not a JSON object"],
    ["wrong types", { name: "FileRW", arguments: { action: 7 } }, "Wrong arguments"],
    ["an array", { name: "FileRW", arguments: "[]" }, "not a JSON object"],
  ])("is told what was wrong with %s, and the run goes on", async (_, call, told) => {
    await team([
      agent("bad", { rules: [{ when: { step: 0 }, calls: [call] }, { say: "told: {{result}}" }] }),
    ]);
    const answer = await chat("bad", "go");
    expect(answer).toMatchObject({ status: "completed", receipt: { steps: 2 } });
    expect(answer.reply).toContain(told);
  });

  it("gets one result for each call when one of several in parallel fails", async () => {
    const read = (path: string) => ({ name: "FileRW", arguments: { action: "read", path } });
    await team([
      agent("par", {
        rules: [
          {
            when: { step: 0 },
            calls: [
              read("../x.txt"),
              { name: "FileRW", arguments: { action: "list", path: "" } },
              read("no.txt"),
            ],
          },
          { say: "1 {{call.0.0}} 2 {{call.0.1}} 3 {{call.0.2}}" },
        ],
      }),
    ]);
    const answer = await chat("par", "go");
    expect(answer.reply).toMatch(/1 Failed: path_refused.* 2 \{.* 3 Failed: not_found/s);
  });

  it("ends with timeout when the run's time is up", async () => {
    await team([agent("late", { rules: [{ say: "never", delayMs: 20_000 }], limits: { runSeconds: 0.3 } })]);
    expect(await chat("late", "go")).toMatchObject({ status: "timeout", receipt: { reason: "run_time" } });
  });
});

describe("a streamed chat", () => {
  it("shows the first words before the model has finished, and ends with done", async () => {
    await team([
      agent("s", {
        rules: [{ say: "first words and then the rest of it", stream: { chars: 6, delayMs: 150 } }],
      }),
    ]);
    const response = await request("/api/agents/s/chat", {
      method: "POST",
      headers: { Accept: "text/event-stream" },
      body: JSON.stringify({ message: "go" }),
    });
    expect(response.headers.get("Content-Type")).toContain("text/event-stream");
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let seenEarly: readonly string[] = [];
    for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read()) {
      text += chunk.value;
      if (seenEarly.length === 0 && text.includes("event: delta")) seenEarly = [...watch.trace];
    }
    expect(seenEarly, "the model was still at work when the first words came").toEqual(["s in"]);
    expect(text.match(/event: (\w+)/g)?.at(0)).toBe("event: run");
    expect(text.match(/event: (\w+)/g)?.at(-1)).toBe("event: done");
    const pieces = [...text.matchAll(/event: delta\ndata: (.*)/g)].map(
      (match) => z.object({ text: z.string() }).parse(JSON.parse(match[1] ?? "")).text,
    );
    expect(pieces.join("")).toBe("first words and then the rest of it");
  });

  it("tells its run at once, also while it waits in the queue", async () => {
    await team([agent("queued", { rules: [{ say: "done", delayMs: 300 }] })]);
    const first = chat("queued", "one");
    const response = await request("/api/agents/queued/chat", {
      method: "POST",
      headers: { Accept: "text/event-stream" },
      body: JSON.stringify({ message: "two" }),
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toMatch(/^event: run\ndata: .*"state":"queued"/);
    await reader?.cancel();
    await first;
  });

  it("outlives its client", async () => {
    await team([
      agent("left", { rules: [{ say: "finished all the same", stream: { chars: 5, delayMs: 60 } }] }),
    ]);
    const response = await request("/api/agents/left/chat", {
      method: "POST",
      headers: { Accept: "text/event-stream" },
      body: JSON.stringify({ message: "go" }),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const answer = await chat("left", "and?");
    expect(answer.status).toBe("completed");
    const turns = conversation.parse(await get("/api/agents/left/conversation")).turns;
    expect(turns.at(0)?.reply).toBe("finished all the same");
  });
});
