import { Hono } from "hono";
import { again } from "../../durable-objects/again.ts";
import type { AppEnv } from "../app-env.ts";
import { hubStub } from "../objects.ts";
import { eventStreamResponse } from "./agents.ts";

export const liveRoutes = new Hono<AppEnv>();

liveRoutes.get("/", async (context) => {
  const last = Number(context.req.header("Last-Event-ID") ?? context.req.query("lastEventId") ?? Number.NaN);
  return eventStreamResponse(
    await again(() => hubStub(context.env).live(Number.isSafeInteger(last) ? last : null)),
  );
});
