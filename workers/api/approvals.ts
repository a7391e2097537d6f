import { Hono } from "hono";
import { z } from "zod";
import type { DecisionRequest } from "../../core/approval/agent-approvals.ts";
import { waitingApprovals } from "../../core/record/list-approvals.ts";
import { again } from "../../durable-objects/again.ts";
import { recordAct } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { approvalStub } from "../approvals.ts";
import { readBody } from "../body.ts";
import { ApiError } from "../errors.ts";
import { personActId } from "../person.ts";
import { readerOf } from "../server-timing.ts";

const COMMENT_CHARS = 10_000;
const decisionBody = z.strictObject({
  decision: z.enum(["approve", "reject"]),
  comment: z.string().max(COMMENT_CHARS).default(""),
});

export const approvalRoutes = new Hono<AppEnv>()
  /** What waits for a person, the most pressing first. */
  .get("/", async (context) => context.json(await waitingApprovals(readerOf(context))))
  /** The arguments of one that waits, whole: a list cuts them. */
  .get("/:approvalId", async (context) => {
    const approvalId = context.req.param("approvalId");
    const whole = await again(async () =>
      approvalStub(context.env, approvalId)?.approvalArguments(approvalId),
    );
    if (whole == null) throw new ApiError("not_found", "There is no call with that id that waits.");
    return context.json({ approvalId, arguments: whole });
  })
  /** Decided once: whoever comes second is told so. The call itself is made after the answer. */
  .post("/:approvalId", async (context) => {
    const approvalId = context.req.param("approvalId");
    const body = await readBody(context, decisionBody);
    const request: DecisionRequest = { approvalId, ...body, mark: personActId() };
    const decided = await again(async () => approvalStub(context.env, approvalId)?.decideApproval(request));
    if (decided === undefined || (!decided.ok && decided.code === "unknown"))
      throw new ApiError("not_found", "There is no approval with that id.");
    if (!decided.ok)
      throw new ApiError("refused", `Not accepted (${decided.code}): ${decided.reason}.`, [
        { path: "decision", message: decided.code },
      ]);
    const details = { decision: decided.decision };
    await recordAct(context, { action: "approval.decide", target: approvalId, details });
    return context.json({ ok: true, approvalId, decision: decided.decision });
  });
