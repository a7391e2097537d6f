/** A chain as a file. Below `/api/chains`. */
import { Hono } from "hono";
import { exportChain, isOnRecord } from "../../core/export/export-chain.ts";
import { again } from "../../durable-objects/again.ts";
import { recordActOnce } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { ApiError } from "../errors.ts";
import { liveChain } from "../live-chain.ts";
import { hubStub } from "../objects.ts";
import { readerOf } from "../server-timing.ts";

export const exportRoutes = new Hono<AppEnv>().get("/:rootRunId/export", async (context) => {
  const rootRunId = context.req.param("rootRunId");
  const reader = readerOf(context);
  const texts = context.env.TEXTS;
  const chain = await liveChain(context.env, reader, rootRunId);
  if (chain.members.length === 0 && !(await isOnRecord({ reader, texts }, rootRunId)))
    throw new ApiError("not_found", "There is no chain with that id.");
  await recordActOnce(context, { action: "export", target: rootRunId });
  const runs = chain.members.map(({ receipt, ...member }) => ({
    ...member,
    status: receipt?.status ?? null,
  }));
  const { instance } = await again(() => hubStub(context.env).directory());
  const pieces = exportChain({ reader, texts, rootRunId, runs, instance, now: Date.now() });
  return new Response(streamOf(pieces), {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="chain-${rootRunId.replace(/[^\w.@-]/g, "_").slice(0, 200)}.json"`,
    },
  });
});

/** Pieces are made as they are read, so that a slow reader costs no memory. */
function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
