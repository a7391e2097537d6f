import type { AnalystRecord } from "../../core/tool.ts";
import { fittingPage } from "./frame.ts";
import type { Answer } from "./index.ts";
import type { AnalysisInput } from "./input.ts";
import { limitOf } from "./offset.ts";
import { TextBudget } from "./texts.ts";

const SHOWN_SOURCES = 5;
/** So many findings for each row that lists may have. */
const FINDINGS_PER_ROW = 2;

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
  const size = { limit: limitOf(input), textChars: input.includeText === true ? maxTextChars : 0 };
  return fittingPage(size, async ({ limit, textChars }) => {
    const { findings: all } = findings.findings;
    const chosen = ofEveryCode(all, FINDINGS_PER_ROW * limit);
    const data = {
      ...figures(stats.stats, limit),
      findings: shownFindings(chosen, textChars),
      findingsLeftOut: all.length - chosen.length,
    };
    return { ok: true, page: { data, cursor: null } };
  });
}

/** The foremost of each code, then the second of each, and so on; told code by code as they came. */
function ofEveryCode(all: FindingsOf, count: number): FindingsOf {
  const ranks = new Map<string, number>();
  const ranked = all.map((finding, index) => {
    const rank = ranks.get(finding.code) ?? 0;
    ranks.set(finding.code, rank + 1);
    return { finding, rank, index };
  });
  return ranked
    .sort((x, y) => x.rank - y.rank || x.index - y.index)
    .slice(0, count)
    .sort((x, y) => x.index - y.index)
    .map(({ finding }) => finding);
}

/** The first of each list; how many more there are is told. */
function figures(stats: StatsOf, limit: number) {
  const { series: _series, answerMs, resultMs, chains, hours, ...others } = stats;
  const { dearest, pairs, agents, byAgent, byModel, ...rest } = others;
  const { bars: _answers, ...answers } = answerMs;
  const { bars: _results, ...results } = resultMs;
  const { bars: _costs, ...chainFigures } = chains;
  const more = (all: readonly unknown[]) => Math.max(0, all.length - limit);
  return {
    ...rest,
    answerMs: answers,
    resultMs: results,
    chains: chainFigures,
    dearest: dearest.slice(0, limit),
    byModel: byModel.slice(0, limit),
    pairs: pairs.toSorted((x, y) => y.messages - x.messages).slice(0, limit),
    agents: agents.slice(0, limit),
    byAgent: byAgent.slice(0, limit),
    leftOut: { pairs: more(pairs), agents: more(agents), byAgent: more(byAgent), byModel: more(byModel) },
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
