import type { AnalystRecord } from "../../core/tool.ts";
import { fittingPage } from "./frame.ts";
import type { Answer } from "./index.ts";
import type { AnalysisInput } from "./input.ts";
import { limitOf, offsetPage } from "./offset.ts";
import { TextBudget } from "./texts.ts";

export async function readPairs(
  record: AnalystRecord,
  input: AnalysisInput,
  maxTextChars: number,
): Promise<Answer> {
  const result = await record.pairs({ since: input.since, until: input.until });
  if (!result.ok) return { ok: false, message: `${result.problem.parameter} is no ISO 8601 time.` };
  const wanted = result.pairs.filter(
    ({ agentA, agentB, channels }) =>
      [input.a, input.b].every((agent) => agent === undefined || agent === agentA || agent === agentB) &&
      (input.channel === undefined || channels[input.channel] > 0),
  );
  const size = { limit: limitOf(input), textChars: input.includeText === true ? maxTextChars : 0 };
  return fittingPage(size, async ({ limit, textChars }) => {
    const page = offsetPage(wanted, { limit, cursor: input.cursor });
    if (page === null) return { ok: false, message: "cursor is none of a page before." };
    const budget = new TextBudget(textChars);
    const pairs = page.items.map(({ pairKey: _key, lastText, ...pair }, index) =>
      textChars > 0 ? { ...pair, lastText: budget.take(lastText, page.items.length - index - 1).text } : pair,
    );
    return { ok: true, page: { data: { count: wanted.length, pairs }, cursor: page.cursor } };
  });
}
