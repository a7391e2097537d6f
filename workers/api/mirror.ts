import { Hono } from "hono";
import { mirrorView } from "../../core/mirror/mirror-view.ts";
import { again } from "../../durable-objects/again.ts";
import type { AppEnv } from "../app-env.ts";
import { instanceOf } from "../config-store.ts";
import { mirrorTargetOf } from "../mirror.ts";
import { hubStub } from "../objects.ts";
import { readerOf } from "../server-timing.ts";

/** How far the mirror of the record is. */
export const mirrorRoutes = new Hono<AppEnv>().get("/", async (context) => {
  const { mirror } = instanceOf(await again(() => hubStub(context.env).directory()));
  const target = mirror === undefined ? null : mirrorTargetOf(mirror);
  const view = await mirrorView(readerOf(context), { db: context.env.DB, target, now: Date.now() });
  return context.json({ target, ...view });
});
