import { Hono } from "hono";
import type { Archive } from "../../core/archive/read-archive.ts";
import { wholeRun } from "../../core/archive/whole-chain.ts";
import { receiptView } from "../../core/record/run-view.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import { recordAct } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { ApiError } from "../errors.ts";
import { chainOfRun } from "../live-chain.ts";
import { runStub } from "../objects.ts";
import { readerOf } from "../server-timing.ts";

export const runRoutes = new Hono<AppEnv>()
  /** From the run's own object, so an accepted run is there at once; else from the record and its archive. */
  .get("/:runId", async (context) => {
    const runId = context.req.param("runId");
    const live = await liveRun(context.env, runId);
    if (live !== null) return context.json(live);
    const recorded = await recordedRun({ reader: readerOf(context), texts: context.env.TEXTS }, runId);
    if (recorded === null) throw new ApiError("not_found", "There is no run with that id.");
    return context.json(recorded);
  })
  .post("/:runId/cancel", async (context) => {
    const runId = context.req.param("runId");
    const request = { status: "cancelled", reason: "cancelled_by_person" } as const;
    const state = (await again(async () => runStub(context.env, runId)?.cancel(runId, request))) ?? "unknown";
    if (state === "unknown") throw new ApiError("not_found", "There is no run with that id.");
    await recordAct(context, { action: "run.cancel", target: runId });
    return context.json({ ok: true, state });
  });

async function liveRun(env: Env, runId: string) {
  const detail = (await again(async () => runStub(env, runId)?.run(runId))) ?? null;
  if (detail === null) return null;
  const { members } = await chainOfRun(env, detail);
  return {
    run: detail.run,
    receipt: detail.receipt === null ? null : receiptView(detail.receipt),
    audit: detail.audit,
    children: members
      .filter((member) => member.parentRunId === runId)
      .map(({ receipt, ...member }) => ({
        ...member,
        receipt: receipt === null ? null : receiptView(receipt),
      })),
  };
}

async function recordedRun(archive: Archive, runId: string) {
  const found = await wholeRun(archive, runId);
  if (found === null) return null;
  const { receipt, audit, children, archived, whole } = found;
  const { parentRunId, rootRunId, agentId, trigger } = receipt;
  return {
    run: { runId, parentRunId, rootRunId, agentId, trigger, state: "ended" },
    receipt,
    audit,
    children: children.map((child) => ({
      runId: child.runId,
      agentId: child.agentId,
      parentRunId: child.parentRunId,
      trigger: child.trigger,
      receipt: child,
    })),
    archived,
    /** False when the archive could not be read, or has more of it than is shown. */
    complete: whole,
  };
}
