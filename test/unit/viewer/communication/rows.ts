import type { Row } from "../../../../ui/src/communication/row.ts";

export const START = Date.parse("2026-10-01T08:00:00.000Z");

/** A message whose defaults are valid. @param second seconds after the start */
export function row(id: number, second: number, over: Partial<Row> = {}): Row {
  return {
    id,
    uid: `u${id}`,
    pairKey: "anna|bert",
    fromAgentId: "anna",
    toAgentId: "bert",
    channel: "ask",
    direction: "request",
    content: `text ${id}`,
    rootRunId: "root",
    taskId: null,
    status: "delivered",
    occurredAt: new Date(START + second * 1_000).toISOString(),
    truncated: false,
    ...over,
  };
}
