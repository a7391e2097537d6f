/** Ticks of one schedule or tool job, newest first. */
import { selectList } from "./columns.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { boundedLimit } from "./message-filter.ts";
import type { Reader } from "./reader.ts";
import type { TickRow } from "./rows.ts";
import { jobTicks } from "./schema.ts";

export type TickView = TickRow & { readonly id: number };

export interface TickFilter {
  readonly agentId: string;
  readonly jobId: string;
  /** The cursor `older` of an earlier page. */
  readonly before?: string | undefined;
  /** 1 to 500; 100 when absent. */
  readonly limit?: number | undefined;
}

export interface TickPage {
  readonly ticks: readonly TickView[];
  /** Null on the last page. */
  readonly older: string | null;
}

/** Null when the cursor is none. Rejects when D1 does. */
export async function listTicks(reader: Reader, filter: TickFilter): Promise<TickPage | null> {
  const before = filter.before === undefined ? null : decodeCursor(filter.before);
  if (filter.before !== undefined && before === null) return null;
  const limit = boundedLimit(filter.limit, 100, 500);
  const rows = await reader.all<TickView>(
    `SELECT ${selectList(jobTicks, "t")} FROM "JobTicks" t
     WHERE t."AgentId" = ? AND t."JobId" = ? AND t."Id" < ? ORDER BY t."Id" DESC LIMIT ?`,
    filter.agentId,
    filter.jobId,
    before?.id ?? Number.MAX_SAFE_INTEGER,
    limit + 1,
  );
  const ticks = rows.slice(0, limit);
  const last = rows.length > limit ? ticks.at(-1) : undefined;
  return {
    ticks,
    older: last === undefined ? null : encodeCursor({ id: last.id, occurredAt: last.finishedAt }),
  };
}
