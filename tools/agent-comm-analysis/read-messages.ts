import type { AnalystRecord } from "../../core/tool.ts";
import { fittingPage, type PageSize } from "./frame.ts";
import type { Answer } from "./index.ts";
import type { AnalysisInput } from "./input.ts";
import { limitOf } from "./offset.ts";
import { shownMessages } from "./shown-messages.ts";

/** A page of a conversation or of hits, oldest first; the newest page comes first. */
export function readMessages(
  record: AnalystRecord,
  input: AnalysisInput,
  maxTextChars: number,
): Promise<Answer> {
  const textChars = input.includeText === true ? maxTextChars : 0;
  return fittingPage({ limit: limitOf(input), textChars }, (size) => onePage(record, input, size));
}

/** A smaller page is asked for again: only the record knows its cursor. */
async function onePage(record: AnalystRecord, input: AnalysisInput, size: PageSize): Promise<Answer> {
  const { a, b, channel, since, until, q, cursor } = input;
  const filter = { a, b, channel, since, until, before: cursor, limit: size.limit };
  const result = await record.messages(input.action === "search" ? { ...filter, q } : filter);
  if (!result.ok)
    return { ok: false, message: `Not accepted: ${result.problem.parameter} (${result.problem.code}).` };
  const { messages, older, partial } = result.page;
  const data = { messages: shownMessages(messages, size.textChars), ...(partial ? { partial } : {}) };
  return { ok: true, page: { data, cursor: older } };
}
