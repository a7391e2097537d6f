import { Hono } from "hono";
import { again } from "../../durable-objects/again.ts";
import type { AppEnv } from "../app-env.ts";
import { hubStub } from "../objects.ts";
import { eventStreamResponse } from "./agents.ts";

/** What the feed gave out; anything else starts at the present. */
const EVENT_ID = /^\d{1,15}$/;

export const liveRoutes = new Hono<AppEnv>().get("/", async (context) => {
  const last = context.req.header("Last-Event-ID") ?? context.req.query("lastEventId") ?? "";
  const lastEventId = EVENT_ID.test(last) ? Number(last) : null;
  return eventStreamResponse(await again(() => hubStub(context.env).live(lastEventId)));
});
