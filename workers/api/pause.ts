import { Hono } from "hono";
import { again } from "../../durable-objects/again.ts";
import type { AppEnv } from "../app-env.ts";
import { agentStub, hubStub } from "../objects.ts";

export const pauseRoutes = new Hono<AppEnv>();

for (const paused of [true, false])
  pauseRoutes.post(paused ? "/pause" : "/resume", async (context) => {
    const { agents } = await again(() => hubStub(context.env).directory());
    await Promise.all(
      agents.map((entry) => again(() => agentStub(context.env, entry.agentId).setPaused(paused))),
    );
    return context.json({ ok: true, paused, agents: agents.map((entry) => entry.agentId) });
  });
