import { openApprovalsOf } from "../approval/store.ts";
import { taskRunEnded } from "../board/after-run.ts";
import type { World } from "../engine/world.ts";
import { ownJson } from "../journal/database.ts";
import { endedRun, type UnsettledRun } from "../journal/runs.ts";
import type { ReceiptRow } from "../record/rows.ts";

/** Tells the taskboard that a task's run has ended; nothing for other runs. Rejects when D1 does. */
export async function settleTask(world: World, run: UnsettledRun): Promise<void> {
  const { runId, taskId, lineage } = run.record;
  if (taskId === null) return;
  const { status, reason } = ownJson<ReceiptRow>(run.receipt);
  await taskRunEnded(world.board, {
    taskId,
    runId,
    parentRunId: lineage.parentRunId,
    depth: lineage.depth,
    objectName: world.objectName,
    status,
    reason,
    reply: endedRun(world.db, runId)?.reply ?? "",
    openApprovals: openApprovalsOf(world.db, taskId),
    nextRun: () => nextRunFor(world, taskId),
  });
}

/** Of several, the one that was accepted last. */
function nextRunFor(world: World, taskId: string): string | null {
  const open = [...world.active.values()].filter((run) => run.record.taskId === taskId);
  return open.at(-1)?.record.runId ?? null;
}
