import type { AnalystRecord } from "../../core/tool.ts";
import { TextBudget } from "./texts.ts";

type Messages = Awaited<ReturnType<AnalystRecord["chain"]>>["messages"];

/** Who, when and what became of it; with characters for texts their beginnings too. */
export function shownMessages(messages: Messages, textChars: number) {
  const budget = new TextBudget(textChars);
  return messages.map((message, index) => {
    const {
      id,
      occurredAt,
      fromAgentId,
      toAgentId,
      channel,
      direction,
      status,
      rootRunId,
      taskId,
      content,
      truncated,
    } = message;
    const row = {
      id,
      occurredAt,
      from: fromAgentId,
      to: toAgentId,
      channel,
      direction,
      status,
      rootRunId,
      taskId,
      chars: content.length,
      ...(truncated ? { longer: true } : {}),
    };
    if (textChars === 0) return row;
    const { text, leftOut } = budget.take(content, messages.length - index - 1);
    return leftOut === 0 && !truncated ? { ...row, text } : { ...row, text, cut: true };
  });
}
