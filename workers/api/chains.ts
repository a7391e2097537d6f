import { Hono } from "hono";
import type { ChainView } from "../../core/chain/chain.ts";
import { chainOf, totalsOf } from "../../core/record/chain-of.ts";
import { createReader } from "../../core/record/reader.ts";
import { receiptView } from "../../core/record/run-view.ts";
import { again } from "../../durable-objects/again.ts";
import type { AppEnv } from "../app-env.ts";
import { ApiError } from "../errors.ts";
import { chainStub } from "../objects.ts";
import { countRowsRead } from "../server-timing.ts";

export const chainRoutes = new Hono<AppEnv>();

/** Runs and totals come from the chain's own object while it knows the chain, messages from the record. */
chainRoutes.get("/:rootRunId", async (context) => {
  const rootRunId = context.req.param("rootRunId");
  const reader = createReader(context.env.DB);
  const [chain, recorded] = await Promise.all([
    again(() => chainStub(context.env, rootRunId).view()),
    chainOf(reader, rootRunId).catch(() => null),
  ]);
  const known = chain.members.length > 0;
  if (!known && recorded === null) throw new ApiError("unavailable", "The record cannot be read right now.");
  if (!known && recorded?.runs.length === 0 && recorded.messages.length === 0)
    throw new ApiError("not_found", "There is no chain with that id.");
  countRowsRead(context, reader);
  return context.json({
    rootRunId,
    frozen: chain.frozen !== null,
    frozenReason: chain.frozen,
    cancelled: chain.cancelled,
    ...(known ? memberRuns(chain) : { runs: recorded?.runs ?? [], totals: recorded?.totals ?? totalsOf([]) }),
    messages: recorded?.messages ?? [],
    /** False when the messages could not be read just now. */
    complete: recorded !== null,
    tasks: [],
  });
});

function memberRuns(chain: ChainView) {
  const ended = chain.members.flatMap((member) => (member.receipt === null ? [] : [member.receipt]));
  const totals = totalsOf(ended);
  return {
    runs: chain.members.map(({ receipt, ...member }) => ({
      ...member,
      status: receipt?.status ?? null,
      ...(receipt === null ? {} : receiptView(receipt)),
    })),
    totals: {
      ...totals,
      runs: chain.members.length,
      depth: Math.max(0, ...chain.members.map((member) => member.depth)),
    },
  };
}

chainRoutes.post("/:rootRunId/cancel", async (context) => {
  const stub = () => chainStub(context.env, context.req.param("rootRunId"));
  if ((await again(() => stub().view())).members.length === 0)
    throw new ApiError("not_found", "There is no chain with that id.");
  await again(() => stub().cancel());
  return context.json({ ok: true });
});

chainRoutes.post("/:rootRunId/release", async (context) => {
  const stub = () => chainStub(context.env, context.req.param("rootRunId"));
  if ((await again(() => stub().view())).members.length === 0)
    throw new ApiError("not_found", "There is no chain with that id.");
  await again(() => stub().release());
  return context.json({ ok: true, frozen: false });
});
