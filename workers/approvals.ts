/** Approvals live in the object of the agent that asked; D1 has the list of them. */
import { expiredApprovals } from "../core/record/list-approvals.ts";
import { createReader } from "../core/record/reader.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { isLookMinute } from "./look-minute.ts";
import { runStub } from "./objects.ts";

/** An approval's id begins with its run's, which names the object; null when the engine made no such id. */
export function approvalStub(env: Env, approvalId: string) {
  const end = approvalId.indexOf(":");
  return end === -1 ? null : runStub(env, approvalId.slice(0, end));
}

const EXPIRED_PER_LOOK = 50;

/** The minute's part: calls that nobody decided on in days are refused, at most five minutes late. */
export async function expireApprovals(env: Env, now: number): Promise<void> {
  if (!isLookMinute(now)) return;
  const late = await expiredApprovals(createReader(env.DB), new Date(now).toISOString(), EXPIRED_PER_LOOK);
  await Promise.all(
    late.map((approvalId) =>
      again(async () =>
        approvalStub(env, approvalId)?.decideApproval({
          approvalId,
          decision: "expire",
          comment: "",
          mark: "",
        }),
      ),
    ),
  );
}
