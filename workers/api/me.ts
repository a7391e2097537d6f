import { Hono } from "hono";
import { actorOf } from "../access/actor.ts";
import type { AppEnv } from "../app-env.ts";

/** Who the instance takes the client for: the viewer shows only what that role can do. */
export const meRoutes = new Hono<AppEnv>().get("/", (context) => {
  const { kind, name, role } = actorOf(context);
  return context.json({ kind, name, role });
});
