/** Tool calls that wait for a person. */
import { selectList } from "./columns.ts";
import type { Reader } from "./reader.ts";
import type { ApprovalRow } from "./rows.ts";
import { approvals } from "./schema.ts";

export interface ApprovalView extends Omit<ApprovalRow, "uid" | "truncated"> {
  readonly approvalId: string;
  /** Whether the arguments are longer; the whole ones are in the approval itself. */
  readonly truncated: boolean;
}

const MAX_WAITING = 500;

/** Those that wait, the most pressing first, at most 500. Rejects when D1 does. */
export async function waitingApprovals(reader: Reader): Promise<ApprovalView[]> {
  const rows = await reader.all<ApprovalRow>(
    `SELECT ${selectList(approvals, "a")} FROM "Approvals" a WHERE a."Decision" IS NULL ORDER BY a."ExpiresAt" LIMIT ?`,
    MAX_WAITING,
  );
  return rows.map(({ uid, truncated, ...row }) => ({
    approvalId: uid,
    ...row,
    truncated: truncated === 1,
  }));
}

/** Ids of those whose time is over, at most `limit`. @param now ISO 8601 */
export async function expiredApprovals(reader: Reader, now: string, limit: number): Promise<string[]> {
  const rows = await reader.all<{ uid: string }>(
    `SELECT a."Uid" AS uid FROM "Approvals" a WHERE a."Decision" IS NULL AND a."ExpiresAt" <= ? ORDER BY a."ExpiresAt" LIMIT ?`,
    now,
    limit,
  );
  return rows.map(({ uid }) => uid);
}
