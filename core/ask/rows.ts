/** The two rows of an ask, both written by the asker's side: what became of the question, what of the answer. */

import type { Lineage } from "../lineage.ts";
import type { MessageRow, MessageStatus } from "../record/rows.ts";
import { pairKey } from "../record/rows.ts";

export interface AskParties {
  readonly askRunId: string;
  readonly from: string;
  readonly to: string;
}

export interface AskText {
  readonly content: string;
  readonly status: MessageStatus;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The run whose act it is. */
  readonly lineage: Pick<Lineage, "runId" | "parentRunId" | "rootRunId">;
}

export function requestRow(parties: AskParties, text: AskText): MessageRow {
  return askRow(
    "request",
    { from: parties.from, to: parties.to, uid: `ask:${parties.askRunId}:request` },
    text,
  );
}

export function responseRow(parties: AskParties, text: AskText): MessageRow {
  return askRow(
    "response",
    { from: parties.to, to: parties.from, uid: `ask:${parties.askRunId}:response` },
    text,
  );
}

function askRow(
  direction: MessageRow["direction"],
  ends: { readonly from: string; readonly to: string; readonly uid: string },
  text: AskText,
): MessageRow {
  return {
    uid: ends.uid,
    pairKey: pairKey(ends.from, ends.to),
    fromAgentId: ends.from,
    toAgentId: ends.to,
    channel: "ask",
    direction,
    content: text.content,
    runId: text.lineage.runId,
    parentRunId: text.lineage.parentRunId,
    rootRunId: text.lineage.rootRunId,
    taskId: null,
    status: text.status,
    occurredAt: new Date(text.at).toISOString(),
  };
}
