import type { SettledRun, World } from "../engine/world.ts";
import { objectNameOf } from "../ids.ts";
import { unansweredAsks } from "../journal/steps.ts";
import type { Lineage } from "../lineage.ts";

const ENDED = { status: "cancelled", reason: "asker_ended" } as const;

/**
 * Of what an ended run has asked and heard nothing of: its colleague is asked, which ends it if it is not over, and
 * then tells of its end itself. Answers the runs that were over. Rejects while a colleague cannot be reached.
 */
export async function lateAnswers(world: World, { runId, depth }: Lineage): Promise<SettledRun[]> {
  const late = await Promise.all(
    unansweredAsks(world.db, runId).map(async (askRunId) => {
      const agentId = objectNameOf(askRunId);
      if (agentId === null || agentId === world.objectName) return [];
      const { result } = await world.colleague(agentId).expire(askRunId, ENDED);
      if (result === null) return [];
      const member = {
        runId: askRunId,
        agentId,
        parentRunId: runId,
        depth: depth + 1,
        trigger: "ask",
      } as const;
      return [{ member, receipt: result.receipt }];
    }),
  );
  return late.flat();
}
