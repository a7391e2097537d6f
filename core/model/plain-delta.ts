/** A quick look at the pieces of a stream: all but a few are nothing but a bit of text. */

/** The text of a piece whose first choice is a delta with text and nothing else that counts; null for all others. */
export function plainText(value: unknown): string | null {
  if (!isRecord(value) || holdsAny(value, ["usage", "finish_reason", "response", "tool_calls"])) return null;
  const [choice] = Array.isArray(value.choices) ? value.choices : [];
  if (!isRecord(choice) || holdsAny(choice, ["finish_reason"]) || !isRecord(choice.delta)) return null;
  const { content } = choice.delta;
  const isPlain = !holdsAny(choice.delta, ["reasoning_content", "reasoning", "refusal", "tool_calls"]);
  return isPlain && typeof content === "string" ? content : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function holdsAny(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.some((name) => value[name] !== undefined && value[name] !== null);
}
