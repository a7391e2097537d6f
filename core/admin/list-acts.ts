/** The log of administration, newest first. */
import { type Cell, selectList } from "../record/columns.ts";
import { decodeCursor, encodeCursor } from "../record/cursor.ts";
import { firstIdAfter, firstIdAt } from "../record/insert-statement.ts";
import { parseInstant, parseUntil } from "../record/instant.ts";
import { boundedLimit } from "../record/message-filter.ts";
import type { Reader } from "../record/reader.ts";
import { adminLog } from "../record/schema.ts";
import type { ActRow } from "./act.ts";

export interface ActFilter {
  /** ISO 8601; both ends belong to the period. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** The cursor `older` of an earlier page. */
  readonly before?: string | undefined;
  /** 1 to 500; 100 when absent. */
  readonly limit?: number | undefined;
}

/** `restoredBy` and `restoredAt` say who put the row here from a backup, and when: it is as good as that person's word. */
export interface ListedAct extends ActRow {
  readonly id: number;
  readonly restoredBy: string | null;
  readonly restoredAt: string | null;
}

export type ActPage =
  | {
      readonly ok: true;
      readonly acts: readonly ListedAct[];
      readonly older: string | null;
    }
  | {
      readonly ok: false;
      readonly problem: { readonly code: "bad_time" | "bad_cursor"; readonly parameter: string };
    };

/** One page. Rejects when D1 does. */
export async function listActs(reader: Reader, filter: ActFilter): Promise<ActPage> {
  const since = filter.since ? parseInstant(filter.since) : null;
  if (filter.since && since === null) return problem("bad_time", "since");
  const until = filter.until ? parseUntil(filter.until) : null;
  if (filter.until && until === null) return problem("bad_time", "until");
  const before = filter.before ? decodeCursor(filter.before) : null;
  if (filter.before && before === null) return problem("bad_cursor", "before");
  const limit = boundedLimit(filter.limit, 100, 500);
  const terms: [string, Cell][] = [];
  if (since !== null) terms.push([`a."Id" >= ?`, firstIdAt(since)]);
  if (until !== null) terms.push([`a."Id" < ?`, firstIdAfter(until)]);
  if (before !== null) terms.push([`a."Id" < ?`, before.id]);
  if (filter.actor) terms.push([`a."Actor" = ?`, filter.actor]);
  if (filter.action) terms.push([`a."Action" = ?`, filter.action]);
  const where = terms.length === 0 ? "" : `WHERE ${terms.map(([sql]) => sql).join(" AND ")}`;
  const rows = await reader.all<ListedAct>(
    `SELECT ${selectList(adminLog, "a")} FROM "AdminLog" a ${where} ORDER BY a."Id" DESC LIMIT ?`,
    ...terms.map(([, value]) => value),
    limit + 1,
  );
  const acts = rows.slice(0, limit);
  const last = rows.length > limit ? acts.at(-1) : undefined;
  return { ok: true, acts, older: last === undefined ? null : encodeCursor(last) };
}

function problem(code: "bad_time" | "bad_cursor", parameter: string): ActPage {
  return { ok: false, problem: { code, parameter } };
}
