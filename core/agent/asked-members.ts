/** The runs that a run has asked, as members of its chain. */
import type { Member, MemberView } from "../chain/members.ts";
import { objectNameOf } from "../ids.ts";
import type { Database } from "../journal/database.ts";
import type { RunRecord } from "../journal/runs.ts";
import { type AskedRun, askedRuns } from "../journal/steps.ts";
import { iso } from "../record/instant.ts";

/** A question whose answer is still to come is under way; one that nobody has taken left no answer. */
export function askedMembers(db: Database, record: RunRecord): MemberView[] {
  return askedRuns(db, record.runId).map((asked) => ({
    ...memberOf(record, asked),
    admittedAt: iso(asked.askedAt),
    receipt: asked.answer?.receipt ?? null,
  }));
}

export function openAsks(db: Database, record: RunRecord): Member[] {
  return askedRuns(db, record.runId)
    .filter(({ answer }) => answer === null)
    .map((asked) => memberOf(record, asked));
}

function memberOf({ lineage }: RunRecord, { askRunId, answer }: AskedRun): Member {
  if (answer !== null) return answer.member;
  const agentId = objectNameOf(askRunId) ?? "unknown";
  return { runId: askRunId, agentId, parentRunId: lineage.runId, depth: lineage.depth + 1, trigger: "ask" };
}
