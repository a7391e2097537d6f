import type { AnalystRecord } from "../../core/tool.ts";
import type { Answer } from "./index.ts";
import type { AnalysisInput } from "./input.ts";
import { limitOf } from "./offset.ts";
import { TextBudget } from "./texts.ts";

const SHOWN_SOURCES = 5;

type FindingsOf = Extract<
  Awaited<ReturnType<AnalystRecord["findings"]>>,
  { ok: true }
>["findings"]["findings"];
type StatsOf = Extract<Awaited<ReturnType<AnalystRecord["stats"]>>, { ok: true }>["stats"];

/** The figures without what only plots need, and what stands out. */
export async function readFigures(
  record: AnalystRecord,
  input: AnalysisInput,
  maxTextChars: number,
): Promise<Answer> {
  const { a, b, channel, since, until } = input;
  const [stats, findings] = await Promise.all([
    record.stats({ a, b, channel, since, until }),
    record.findings({ a, b, since, until }),
  ]);
  if (!stats.ok) return { ok: false, message: `${stats.problem.parameter} is no ISO 8601 time.` };
  if (!findings.ok) return { ok: false, message: `${findings.problem.parameter} is no ISO 8601 time.` };
  const limit = limitOf(input);
  const textChars = input.includeText === true ? maxTextChars : 0;
  const data = {
    ...figures(stats.stats, limit),
    findings: shownFindings(findings.findings.findings.slice(0, 2 * limit), textChars),
  };
  return { ok: true, page: { data, cursor: null } };
}

function figures(stats: StatsOf, limit: number) {
  const { series: _series, answerMs, resultMs, chains, pairs, agents, byAgent, hours, ...rest } = stats;
  const { bars: _answers, ...answers } = answerMs;
  const { bars: _results, ...results } = resultMs;
  const { bars: _costs, ...chainFigures } = chains;
  return {
    ...rest,
    answerMs: answers,
    resultMs: results,
    chains: chainFigures,
    pairs: pairs.toSorted((x, y) => y.messages - x.messages).slice(0, limit),
    agents: agents.slice(0, limit),
    byAgent: byAgent.slice(0, limit),
    troubleByHourUtc: hours
      .filter(({ trouble }) => trouble > 0)
      .map(({ hour, messages, trouble }) => ({ hour, messages, trouble })),
  };
}

/** Examples are words of others, so they count as texts. */
function shownFindings(findings: FindingsOf, textChars: number) {
  const budget = new TextBudget(textChars);
  return findings.map(({ example, messageIds, rootRunIds, numbers: _told, ...finding }, index) => {
    const shown = {
      ...finding,
      messageIds: messageIds.slice(-SHOWN_SOURCES),
      rootRunIds: rootRunIds.slice(-SHOWN_SOURCES),
    };
    if (textChars === 0 || example === null) return shown;
    const others = 2 * (findings.length - index) - 1;
    return {
      ...shown,
      example: {
        question: budget.take(example.question ?? "", others).text,
        answer: budget.take(example.answer ?? "", others).text,
      },
    };
  });
}
