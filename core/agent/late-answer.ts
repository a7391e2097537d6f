import type { SettledRun, World } from "../engine/world.ts";
import { objectNameOf } from "../ids.ts";
import type { Lineage } from "../lineage.ts";

const ENDED = { status: "cancelled", reason: "asker_ended" } as const;

/**
 * Of what an ended run has asked and heard nothing of: its colleague is asked, which ends the answering run if it is not
 * over, and that tells of its end itself then. Answers the run if it was over. Rejects while the colleague cannot be reached.
 */
export async function lateAnswer(
  world: World,
  { runId, depth }: Lineage,
  askRunId: string,
): Promise<SettledRun[]> {
  const agentId = objectNameOf(askRunId);
  if (agentId === null || agentId === world.objectName) return [];
  const { result } = await world.colleague(agentId).expire(askRunId, ENDED);
  if (result === null) return [];
  const member = { runId: askRunId, agentId, parentRunId: runId, depth: depth + 1, trigger: "ask" } as const;
  return [{ member, receipt: result.receipt }];
}
