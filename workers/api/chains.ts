import { type Context, Hono } from "hono";
import { circlesOf } from "../../core/board/circles.ts";
import { tasksOfChain } from "../../core/board/list.ts";
import type { TaskRow } from "../../core/board/task.ts";
import { listedTask } from "../../core/board/view.ts";
import type { ChainView } from "../../core/chain/chain.ts";
import { chainOf, totalsOf } from "../../core/record/chain-of.ts";
import { receiptView } from "../../core/record/run-view.ts";
import { again } from "../../durable-objects/again.ts";
import type { AppEnv } from "../app-env.ts";
import { ApiError } from "../errors.ts";
import { liveChain } from "../live-chain.ts";
import { chainStub, runStub } from "../objects.ts";
import { readerOf } from "../server-timing.ts";

const CANCELLED = { status: "cancelled", reason: "chain_cancelled" } as const;

export const chainRoutes = new Hono<AppEnv>()
  /** Runs and totals come from the chain's own object while it knows the chain, messages from the record. */
  .get("/:rootRunId", async (context) => {
    const rootRunId = context.req.param("rootRunId");
    const reader = readerOf(context);
    const [chain, recorded, tasks] = await Promise.all([
      liveChain(context.env, reader, rootRunId),
      chainOf(reader, rootRunId).catch(() => null),
      tasksOfChain(reader, rootRunId).catch(() => []),
    ]);
    const known = chain.members.length > 0;
    if (!known && recorded === null)
      throw new ApiError("unavailable", "The record cannot be read right now.");
    if (!known && recorded?.runs.length === 0 && recorded.messages.length + tasks.length === 0)
      throw new ApiError("not_found", "There is no chain with that id.");
    return context.json({
      rootRunId,
      frozen: chain.frozen !== null,
      frozenReason: chain.frozen,
      cancelled: chain.cancelled,
      ...(known
        ? memberRuns(chain)
        : { runs: recorded?.runs ?? [], totals: recorded?.totals ?? totalsOf([]) }),
      messages: recorded?.messages ?? [],
      messageCount: recorded?.messageCount ?? 0,
      /** False when the messages could not be read just now. */
      complete: recorded !== null,
      tasks: chainTasks(tasks),
    });
  })
  .post("/:rootRunId/cancel", async (context) => {
    const rootRunId = context.req.param("rootRunId");
    await requireChain(context, rootRunId);
    await again(() => chainStub(context.env, rootRunId).cancel());
    // A root that is alone in its chain is unknown to the chain's object.
    await again(async () => runStub(context.env, rootRunId)?.cancel(rootRunId, CANCELLED));
    return context.json({ ok: true });
  })
  .post("/:rootRunId/release", async (context) => {
    const rootRunId = context.req.param("rootRunId");
    await requireChain(context, rootRunId);
    await again(() => chainStub(context.env, rootRunId).release());
    return context.json({ ok: true, frozen: false });
  });

/** A task is in a circle when its work comes back, through subtasks, to who was given it or gave it. */
function chainTasks(tasks: readonly TaskRow[]) {
  const circles = new Set(circlesOf(tasks));
  return tasks.map((task) => ({ ...listedTask(task), inCircle: circles.has(task.taskId) }));
}

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

async function requireChain(context: Context<AppEnv>, rootRunId: string): Promise<void> {
  if ((await liveChain(context.env, readerOf(context), rootRunId)).members.length === 0)
    throw new ApiError("not_found", "There is no chain with that id.");
}
