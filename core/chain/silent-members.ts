import type { NoticeRow } from "../record/rows.ts";
import type { Member } from "./members.ts";

const MAX_NAMED = 10;

/** What a person is told when a cancelled chain hears no end of its runs, however often it tells them. `now` in epoch milliseconds. */
export function silentMembersNotice(rootRunId: string, members: readonly Member[], now: number): NoticeRow {
  const named = members.slice(0, MAX_NAMED).map(({ runId }) => runId);
  const others = members.length > named.length ? ` and ${members.length - named.length} more` : "";
  return {
    uid: `chain_silent:${rootRunId}`,
    kind: "chain_silent",
    text: `Chain ${rootRunId} was cancelled, and has heard no end of ${named.join(", ")}${others} in four hours. They are told no more; cancel it again once their agents can be reached.`,
    rootRunId,
    agentId: null,
    occurredAt: new Date(now).toISOString(),
  };
}
