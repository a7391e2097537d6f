import { type Context, Hono } from "hono";
import { wholeChain } from "../../core/archive/whole-chain.ts";
import { circlesOf } from "../../core/board/circles.ts";
import { tasksOfChain } from "../../core/board/list.ts";
import type { TaskRow } from "../../core/board/task.ts";
import { listedTask } from "../../core/board/view.ts";
import type { ChainView } from "../../core/chain/chain.ts";
import { totalsOf } from "../../core/record/chain-of.ts";
import { receiptView } from "../../core/record/run-view.ts";
import { again } from "../../durable-objects/again.ts";
import { recordAct } from "../acts.ts";
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
      wholeChain({ reader, texts: context.env.TEXTS }, rootRunId).catch(() => null),
      tasksOfChain(reader, rootRunId).catch(() => []),
    ]);
    const allTasks = withArchived(tasks, recorded?.tasks ?? []);
    const known = chain.members.length > 0;
    if (!known && recorded === null)
      throw new ApiError("unavailable", "The record cannot be read right now.");
    if (!known && recorded?.runs.length === 0 && recorded.messages.length + allTasks.length === 0)
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
      /** False when messages could not be read just now, or more lies in the archive than is shown. */
      complete: recorded?.whole ?? false,
      /** Whether some of it comes from the archive. */
      archived: recorded?.archived ?? false,
      tasks: chainTasks(allTasks),
    });
  })
  .post("/:rootRunId/cancel", async (context) => {
    const rootRunId = context.req.param("rootRunId");
    await requireChain(context, rootRunId);
    await again(async () => runStub(context.env, rootRunId)?.joinChain(rootRunId));
    await again(() => chainStub(context.env, rootRunId).cancel());
    await again(async () => runStub(context.env, rootRunId)?.cancel(rootRunId, CANCELLED));
    await recordAct(context, { action: "chain.cancel", target: rootRunId });
    return context.json({ ok: true });
  })
  .post("/:rootRunId/release", async (context) => {
    const rootRunId = context.req.param("rootRunId");
    await requireChain(context, rootRunId);
    await again(() => chainStub(context.env, rootRunId).release());
    await recordAct(context, { action: "chain.release", target: rootRunId });
    return context.json({ ok: true, frozen: false });
  });

function withArchived(tasks: readonly TaskRow[], archived: readonly TaskRow[]): readonly TaskRow[] {
  const kept = new Set(tasks.map((task) => task.taskId));
  return [...archived.filter((task) => !kept.has(task.taskId)), ...tasks];
}

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
