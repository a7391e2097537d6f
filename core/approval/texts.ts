/** What an agent reads of a person's decision. */
import { capText } from "../engine/caps.ts";
import type { CallResult } from "../journal/steps.ts";
import { APPROVAL_HOURS } from "../limits.ts";
import type { Approval } from "./store.ts";

/** The result of a call that was not made. */
export function notMade(decision: "rejected" | "expired", comment: string): CallResult {
  const reason =
    decision === "rejected"
      ? `A person refused the call${comment === "" ? "." : `: ${comment}`}`
      : `Nobody decided within ${APPROVAL_HOURS} hours, so the call was refused.`;
  return { outcome: "denied", error: reason, content: reason };
}

const ARGUMENT_CHARS = 2_000;
const RESULT_CHARS = 18_000;

/** Says no more than what is known. */
const MADE: Readonly<Partial<Record<CallResult["outcome"], string>>> = {
  ok: "It has been made. Result:",
  failed: "It did not work:",
  denied: "It was not made all the same:",
  timeout: "It was begun, and what came of it is not known for sure:",
  interrupted: "It was begun, and what came of it is not known for sure:",
};

export function wakeText(approval: Approval): string {
  const { functionName, decision, comment, result } = approval;
  const call = `${functionName} ${capText(approval.arguments, ARGUMENT_CHARS)}`;
  const head = `Your call ${approval.approvalId} waited for a person's approval: ${call}`;
  if (decision !== "approved") return `${head}\n\n${result?.content ?? ""} It was not made.`;
  const said = comment === "" ? "" : ` and says: ${comment}`;
  const made = MADE[result?.outcome ?? "failed"] ?? "Result:";
  return `${head}\n\nA person allowed it${said}. ${made}\n${capText(result?.content ?? "", RESULT_CHARS)}`;
}
