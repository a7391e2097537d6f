/** Writes log lines to D1. */
import { LOG_TEXT_CHARS } from "../limits.ts";
import type { LogLine } from "../log.ts";
import { INSERT_LOG } from "./insert-statement.ts";
import type { LogRow } from "./log-rows.ts";
import { cutToUnits, storableText } from "./stored-text.ts";

/** Writes all lines in one D1 batch, or none. Not idempotent. Rejects when D1 does. */
export async function writeLog(db: D1Database, lines: readonly LogLine[]): Promise<void> {
  await db.batch(logStatements(db, lines));
}

/** The statements of `writeLog`, for whoever writes something else in the same batch. */
export function logStatements(db: D1Database, lines: readonly LogLine[]): D1PreparedStatement[] {
  if (lines.length === 0) return [];
  const statement = db.prepare(INSERT_LOG.sql);
  return lines.map((line) => statement.bind(...INSERT_LOG.bind(logRow(line))));
}

/** A fresh worker (`<agent>@<task>`) appears under its agent's id, as in the record. */
function logRow({ at, agentId, text, ...line }: LogLine): LogRow {
  return {
    ...line,
    agentId: agentId === null ? null : (agentId.split("@")[0] ?? agentId),
    text: cutToUnits(storableText(text), LOG_TEXT_CHARS),
    occurredAt: at,
  };
}
