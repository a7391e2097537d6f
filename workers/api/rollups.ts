/** Upkeep of the roll-ups: made anew, compared; a bounded piece a call. */
import { Hono } from "hono";
import { z } from "zod";
import { checkStep } from "../../core/analysis/check-rollups.ts";
import { rebuildStep } from "../../core/analysis/rebuild.ts";
import { recordActOnce } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { checkQuery, readBody } from "../body.ts";
import { ApiError } from "../errors.ts";
import { readerOf } from "../server-timing.ts";

const cursor = z.string().max(400);

export const rollupRoutes = new Hono<AppEnv>()
  .post("/rebuild", async (context) => {
    const body = await readBody(context, z.strictObject({ cursor: cursor.nullable().optional() }));
    const step = await rebuildStep({ db: context.env.DB, reader: readerOf(context) }, body.cursor ?? null);
    if (step === null) throw badCursor();
    await recordActOnce(context, { action: "rollups.rebuild", target: "figures" });
    return context.json(step);
  })
  .get("/check", checkQuery(z.object({ cursor: cursor.optional() })), async (context) => {
    const step = await checkStep(readerOf(context), context.req.valid("query").cursor ?? null);
    if (step === null) throw badCursor();
    return context.json(step);
  });

function badCursor(): ApiError {
  return new ApiError("bad_request", "Not accepted: cursor (bad_cursor).", [
    { path: "cursor", message: "bad_cursor" },
  ]);
}
