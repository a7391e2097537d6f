/** A report as a notice: the durable way to a channel that notices have. */
import type { NoticeRow } from "../record/rows.ts";

export const REPORT_KIND = "report";

/** Of a tick, in epoch milliseconds: whoever writes the same report again writes nothing (L7). */
export function reportUid(tick: number): string {
  return `${REPORT_KIND}:${new Date(tick).toISOString()}`;
}

/** `now` in epoch milliseconds. `text` is scrubbed. */
export function reportNotice(tick: number, text: string, now: number): NoticeRow {
  return {
    uid: reportUid(tick),
    kind: REPORT_KIND,
    text,
    rootRunId: null,
    agentId: null,
    occurredAt: new Date(now).toISOString(),
  };
}
