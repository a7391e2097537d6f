/** What A2A's clients see of each other, and of long texts; as they ask, in JSON-RPC. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { eventStream } from "../../../durable-objects/run-stream.ts";
import { ownerOf } from "../../../workers/a2a/owner.ts";
import { request, send } from "./api.ts";
import { agent } from "./team.ts";
import { makeToken } from "./tokens.ts";

const taskShape = z.looseObject({
  id: z.string(),
  contextId: z.string(),
  history: z.array(z.looseObject({ parts: z.array(z.looseObject({ text: z.string() })) })).default([]),
  artifacts: z.array(z.looseObject({ parts: z.array(z.looseObject({ text: z.string() })) })).default([]),
});
const answerShape = z.looseObject({
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});

const TASK_NOT_FOUND = -32_001;

const textOf = (piece: { readonly parts: readonly { readonly text: string }[] } | undefined) =>
  piece?.parts.map(({ text }) => text).join("") ?? "";

/** A client with a token of its own. */
async function clientOf(name: string, agentId: string) {
  const token = await makeToken(name, "operate");
  const rpc = async (method: string, params: unknown) => {
    const response = await request(`/a2a/${agentId}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "A2A-Version": "1.0" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return answerShape.parse(await response.json());
  };
  return {
    rpc,
    say: async (text: string, contextId: string) => {
      const message = { messageId: "m", role: "ROLE_USER", contextId, parts: [{ text }] };
      const { result, error } = await rpc("SendMessage", { message });
      if (error !== undefined) throw new Error(error.message);
      return z.object({ task: taskShape }).parse(result).task;
    },
    list: async (contextId = "") => {
      const { result } = await rpc("ListTasks", { contextId });
      return z.looseObject({ tasks: z.array(taskShape).default([]) }).parse(result).tasks;
    },
  };
}

export const a2aDoor = () =>
  describe("/a2a", () => {
    describe("a client of A2A", () => {
      beforeAll(async () => {
        await send("PUT", "/api/agents/wide", agent("wide", { limits: { toolResultChars: 60_000 } }));
        await send("PUT", "/api/agents/busy", agent("busy", { limits: { queue: 1 } }));
      });

      it("hears nothing of another's context of the same name, and reaches none of its tasks", async () => {
        const [ann, ben] = [await clientOf("ann", "a"), await clientOf("ben", "a")];
        const first = await ann.say("My number is 4711.", "default");
        const other = await ben.say("What is the number?", "default");
        expect(textOf(other.artifacts[0])).toBe("a heard: What is the number?");
        expect(textOf((await ann.say("And now?", "default")).artifacts[0])).toContain("4711");
        expect((await ben.list()).map(({ id }) => id)).toEqual([other.id]);
        expect((await ann.list("default")).map(({ id }) => id)).toContain(first.id);
        for (const method of ["GetTask", "CancelTask", "SubscribeToTask"])
          expect((await ben.rpc(method, { id: first.id })).error?.code, method).toBe(TASK_NOT_FOUND);
        // What came in by another door is none of its tasks either.
        const run = z
          .looseObject({ runId: z.string() })
          .parse(await (await send("POST", "/api/agents/a/runs", { message: "Mine." })).json());
        expect((await ben.rpc("GetTask", { id: run.runId })).error?.code).toBe(TASK_NOT_FOUND);
      });

      it("finds its own words in its tasks, however much went along with them", async () => {
        const client = await clientOf("long", "wide");
        for (const letter of ["x", "y"]) await client.say(letter.repeat(14_000), "long");
        const answer = textOf((await client.say("And now?", "long")).artifacts[0]);
        expect(answer.length).toBeGreaterThan(40_000);
        const [newest] = await client.list("long");
        expect(textOf(newest?.history[0])).toBe("And now?");
      });

      it("has no more of its context brought along than the agent's model is shown", async () => {
        const client = await clientOf("huge", "a");
        for (const letter of ["x", "y", "z"]) await client.say(letter.repeat(300_000), "huge");
        const context = { owner: await ownerOf({ kind: "token", name: "huge" }), contextId: "huge" };
        const earlier = await env.AGENTS.get(env.AGENTS.idFromName("a")).earlierInContext(context);
        const said = earlier?.exchanges.map(({ question, reply }) => question + (reply ?? "")).join("") ?? "";
        expect(said).toMatch(/^x.*y.*z/s);
        expect(said.length).toBeLessThan(35_000);
        expect(textOf((await client.say("And now?", "huge")).artifacts[0])).toContain("zzz");
      });

      it("leaves nothing of a message that is not accepted", async () => {
        const client = await clientOf("late", "busy");
        await send("POST", "/api/agents/busy/pause");
        await send("POST", "/api/agents/busy/runs", { message: "one", wait: false });
        await expect(client.say("Two?", "late")).rejects.toThrow("queue is full");
        const context = { owner: await ownerOf({ kind: "token", name: "late" }), contextId: "late" };
        const stub = env.AGENTS.get(env.AGENTS.idFromName("busy"));
        await stub.earlierInContext(context);
        const rows = await runInDurableObject(stub, (_instance, { storage }) =>
          storage.sql.exec("SELECT runId FROM Contexts").toArray(),
        );
        expect(rows).toEqual([]);
        await send("POST", "/api/agents/busy/resume");
      });

      it("L5: cannot have a secret written down as a context's name", async () => {
        const client = await clientOf("sly", "a");
        await expect(client.say("Hello?", "sk-proj-0123456789abcdefghijklmnopqrstuv")).rejects.toThrow(
          "nothing that looks like a credential",
        );
        expect(await client.list()).toEqual([]);
      });
    });

    describe("a run's stream in which nothing happens", () => {
      it("says now and then that it is still there, until it is over", async () => {
        const pauses: { end: () => void; readonly signal: AbortSignal }[] = [];
        const sleep = (_ms: number, signal: AbortSignal) =>
          new Promise<void>((resolve) => pauses.push({ end: resolve, signal }));
        const { readable } = eventStream(() => ({ ok: true }), sleep);
        const reader = readable.getReader();
        const waiting = reader.read();
        pauses[0]?.end();
        expect(new TextDecoder().decode((await waiting).value)).toBe(": still here\n\n");
        await reader.cancel();
      });
    });
  });
