import { type Context, Hono } from "hono";
import { z } from "zod";
import { diffDocuments } from "../../core/config/diff.ts";
import type { DirectoryEntry } from "../../core/engine/world.ts";
import { isAgentId } from "../../core/ids.ts";
import { receiptView } from "../../core/record/run-view.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import { recordAct, rowOf } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { readBody, readJson } from "../body.ts";
import { putAgent, readAgent, removeAgent, requireAgent } from "../config-store.ts";
import { ApiError, noAgent } from "../errors.ts";
import { eventStreamResponse } from "../event-stream.ts";
import { executeRun, newRootRun, streamRun, submitRun } from "../execute-run.ts";
import { agentStub, hubStub } from "../objects.ts";
import { checkBesideInstance } from "./versions.ts";

const message = z.string().min(1, "Say something").max(8_000_000);
const chatBody = z.strictObject({ message });
const runBody = z.strictObject({ message, wait: z.boolean().default(true) });

export const agentRoutes = new Hono<AppEnv>()
  /** Before anything else: no object is ever made for an id that no agent can have. */
  .use("/:agentId/*", async (context, next) => {
    const creates = context.req.method === "PUT";
    if (!creates && !isAgentId(context.req.param("agentId"))) throw noAgent();
    await next();
  })
  .get("/", async (context) => {
    const { agents } = await again(() => hubStub(context.env).directory());
    return context.json(await Promise.all(agents.map((entry) => agentView(context.env, entry))));
  })
  .get("/:agentId", async (context) => {
    const agentId = context.req.param("agentId");
    await requireAgent(context.env, agentId);
    const agent = await readAgent(context.env, agentId);
    if (agent === null) throw noAgent();
    return context.json(agent);
  })
  .put("/:agentId", async (context) => {
    const document = await readJson(context);
    const checked = await checkBesideInstance(context, document);
    if (!checked.ok) throw new ApiError("bad_request", "The agent's document has faults.", checked.issues);
    if (checked.agent.agentId !== context.req.param("agentId"))
      throw new ApiError("bad_request", "The document is another agent's.", [
        { path: "agentId", message: "Must be the id in the address" },
      ]);
    const { agent } = checked;
    await putAgent(context.env, agent, (before) => {
      const details = { changed: diffDocuments(before, agent).map(({ path }) => path) };
      return rowOf(context, { action: "config.put", target: agent.agentId, details });
    });
    return context.json({ ...checked.agent, warnings: checked.warnings });
  })
  .delete("/:agentId", async (context) => {
    const agentId = context.req.param("agentId");
    await requireAgent(context.env, agentId);
    await removeAgent(context.env, agentId, rowOf(context, { action: "config.delete", target: agentId }));
    return context.json({ ok: true });
  })
  .post("/:agentId/pause", async (context) =>
    context.json(await pauseAgent(context, context.req.param("agentId"), true)),
  )
  .post("/:agentId/resume", async (context) =>
    context.json(await pauseAgent(context, context.req.param("agentId"), false)),
  )
  .post("/:agentId/chat", async (context) => {
    const agentId = context.req.param("agentId");
    const body = await readBody(context, chatBody);
    const run = newRootRun({ agentId, trigger: "chat", lane: "conversation", message: body.message });
    if (context.req.header("Accept")?.includes("text/event-stream") === true)
      return eventStreamResponse(await streamRun(context.env, agentId, run));
    const result = await executeRun(context.env, agentId, run);
    return context.json(runAnswer(run.runId, result));
  })
  .post("/:agentId/runs", async (context) => {
    const agentId = context.req.param("agentId");
    const body = await readBody(context, runBody);
    const run = newRootRun({ agentId, trigger: "run", lane: "isolated", message: body.message });
    if (!body.wait) {
      await submitRun(context.env, agentId, run);
      return context.json({ runId: run.runId, rootRunId: run.runId }, 202);
    }
    return context.json(runAnswer(run.runId, await executeRun(context.env, agentId, run)));
  })
  .get("/:agentId/conversation", async (context) => {
    const agentId = context.req.param("agentId");
    await requireAgent(context.env, agentId);
    return context.json(await again(() => agentStub(context.env, agentId).conversation()));
  })
  .delete("/:agentId/conversation", async (context) => {
    const agentId = context.req.param("agentId");
    await requireAgent(context.env, agentId);
    await again(() => agentStub(context.env, agentId).resetConversation());
    await recordAct(context, { action: "conversation.reset", target: agentId });
    return context.json({ ok: true });
  });

async function agentView(env: Env, entry: DirectoryEntry) {
  const { paused, state, queued, unsent, model, provider, tools } = await again(() =>
    agentStub(env, entry.agentId).status(),
  );
  return { ...entry, model, provider, tools, paused, state, queued, unsent };
}

async function pauseAgent(context: Context<AppEnv>, agentId: string, paused: boolean) {
  await requireAgent(context.env, agentId);
  await again(() => agentStub(context.env, agentId).setPaused(paused));
  await recordAct(context, { action: paused ? "agent.pause" : "agent.resume", target: agentId });
  return { ok: true, paused };
}

function runAnswer(runId: string, result: Awaited<ReturnType<typeof executeRun>>) {
  const { status, reply, receipt } = result;
  return { runId, rootRunId: receipt.rootRunId, status, reply, receipt: receiptView(receipt) };
}
