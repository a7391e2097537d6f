import { Hono } from "hono";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import type { AppEnv } from "../app-env.ts";
import { agentStub, hubStub } from "../objects.ts";

export const pauseRoutes = new Hono<AppEnv>()
  .post("/pause", async (context) => context.json(await pauseAll(context.env, true)))
  .post("/resume", async (context) => context.json(await pauseAll(context.env, false)));

async function pauseAll(env: Env, paused: boolean) {
  const { agents } = await again(() => hubStub(env).directory());
  await Promise.all(agents.map((entry) => again(() => agentStub(env, entry.agentId).setPaused(paused))));
  return { ok: true, paused, agents: agents.map((entry) => entry.agentId) };
}
