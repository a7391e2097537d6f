/** Administration: who changed what, and erasing one person's data. */
import { Hono } from "hono";
import { z } from "zod";
import { listActs } from "../../core/admin/list-acts.ts";
import { type EraseState, isClean, isDone, partName } from "../../core/erase/job.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { again } from "../../durable-objects/again.ts";
import { rowOf } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { checkQuery, readBody } from "../body.ts";
import { erase, erasedNeedle, eraseStores } from "../erase.ts";
import { ApiError } from "../errors.ts";
import { hubStub } from "../objects.ts";
import { readerOf } from "../server-timing.ts";

const word = z.string().max(500).optional();
const logQuery = z.object({
  since: word,
  until: word,
  actor: word,
  action: word,
  before: word,
  limit: z.coerce.number().int().min(1).max(500).optional(),
});

const eraseBody = z
  .strictObject({
    address: z.string().max(10_000).exactOptional(),
    text: z.string().max(10_000).exactOptional(),
    dryRun: z.boolean().default(false),
  })
  .refine(({ address, text }) => (address === undefined) !== (text === undefined), {
    path: ["text"],
    message: "Give either address or text",
  });

export const adminRoutes = new Hono<AppEnv>()
  /** Newest first. */
  .get("/log", checkQuery(logQuery), async (context) => {
    const page = await listActs(readerOf(context), context.req.valid("query"));
    if (!page.ok)
      throw new ApiError("bad_request", `Not accepted: ${page.problem.parameter}.`, [
        { path: page.problem.parameter, message: page.problem.code },
      ]);
    return context.json({ acts: page.acts, older: page.older });
  })
  /** Works for a while and tells how far it is; the same call again goes on, until `done`. */
  .post("/erase", async (context) => {
    const { address, text: given = address ?? "", dryRun } = await readBody(context, eraseBody);
    const text = given.trim().normalize("NFC");
    const needle = await erasedNeedle(context.env, readerOf(context), text);
    const sha256 = await sha256Hex(text);
    const name = `${dryRun ? "dry:" : ""}${sha256}`;
    const stores = eraseStores(context.env, readerOf(context), text);
    const state = await erase(stores, needle, { env: context.env, name, dryRun });
    const result = { sha256, ...reportOf(state) };
    if (isDone(state)) {
      const { done: _, ...details } = result;
      const act = rowOf(context, {
        action: "erase",
        target: sha256,
        details: { ...details, files: state.files.length },
      });
      // Of two clients at the same erasure both may come to its end: it is one act.
      const uid = `erase:${name}:${state.begunAt}`;
      await again(() => hubStub(context.env).endErasure(name, { ...act, uid }));
    }
    return context.json(result);
  });

function reportOf(state: EraseState) {
  return {
    done: isDone(state),
    dryRun: state.dryRun,
    clean: isDone(state) && isClean(state),
    pass: state.pass,
    at: partName(state),
    found: state.found,
    remaining: state.remaining,
    inConfig: state.inConfig,
    files: state.files,
  };
}
