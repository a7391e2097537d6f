import { Hono } from "hono";
import { again } from "../../durable-objects/again.ts";
import { actorOf } from "../access/actor.ts";
import type { AppEnv } from "../app-env.ts";
import { ApiError } from "../errors.ts";
import { EVENT_STREAM_HEADERS, eventStreamResponse } from "../event-stream.ts";
import { hubStub } from "../objects.ts";

/** What the feed gave out; anything else starts at the present. */
const EVENT_ID = /^\d{1,15}$/;

export const liveRoutes = new Hono<AppEnv>().get("/", async (context) => {
  // A stream that nobody reads would stay open in the hub.
  if (context.req.method === "HEAD") return context.body(null, 200, EVENT_STREAM_HEADERS);
  const last = context.req.header("Last-Event-ID") ?? context.req.query("lastEventId") ?? "";
  const lastEventId = EVENT_ID.test(last) ? Number(last) : null;
  const { until } = actorOf(context);
  const events = await again(
    async (): Promise<ReadableStream<Uint8Array> | null> => hubStub(context.env).live(lastEventId, until),
  );
  if (events === null)
    throw new ApiError("unavailable", "Too many live streams are open. Close some, or try again soon.");
  return eventStreamResponse(events);
});
