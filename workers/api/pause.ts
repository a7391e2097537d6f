import { type Context, Hono } from "hono";
import { again } from "../../durable-objects/again.ts";
import { recordAct } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { agentStub, hubStub } from "../objects.ts";

export const pauseRoutes = new Hono<AppEnv>()
  .post("/pause", async (context) => context.json(await pauseAll(context, true)))
  .post("/resume", async (context) => context.json(await pauseAll(context, false)));

async function pauseAll(context: Context<AppEnv>, paused: boolean) {
  const { env } = context;
  const { agents } = await again(() => hubStub(env).directory());
  await Promise.all(agents.map((entry) => again(() => agentStub(env, entry.agentId).setPaused(paused))));
  await recordAct(context, { action: paused ? "agent.pause" : "agent.resume", target: "all" });
  return { ok: true, paused, agents: agents.map((entry) => entry.agentId) };
}
