/** The numbers that stand first. */
import type { Stats } from "../api/types.ts";
import { formatCount } from "../language/format.ts";
import { factsOf, type Share } from "./facts.ts";
import { formatRate, formatTime, formatUsd, rateOf } from "./format.ts";
import { texts } from "./texts.ts";

const labels = texts.facts;

export function FactsStrip({ stats }: { stats: Stats }) {
  const { results, answers, cost, silted, trouble } = factsOf(stats);
  const { answerMs, chains } = stats;
  const unpriced = stats.byAgent.reduce((sum, { unpricedRuns }) => sum + unpricedRuns, 0);
  return (
    <dl class="insight-facts" aria-label={labels.label}>
      <Fact
        name="results"
        label={labels.results}
        value={rateText(results)}
        hint={shareText(results, labels.noResults)}
      />
      <Fact
        name="answers"
        label={labels.answers}
        value={rateText(answers)}
        hint={shareText(answers, labels.noAnswers)}
      />
      <Fact
        name="answerTime"
        label={labels.answerTime}
        value={formatTime(answerMs.median)}
        hint={answerMs.p95 === null ? labels.noAnswers : labels.p95(formatTime(answerMs.p95))}
      />
      <Fact
        name="cost"
        label={labels.cost}
        value={formatUsd(cost.usd)}
        before={cost.atLeast ? texts.atLeast("") : ""}
        hint={
          unpriced > 0
            ? labels.unpriced(formatCount(unpriced))
            : chains.costUsd.median === null
              ? labels.noCost
              : labels.perChain(formatUsd(chains.costUsd.median))
        }
      />
      <Fact
        name="silted"
        label={labels.silted}
        value={formatCount(silted)}
        hint={labels.siltedHint}
        bad={silted > 0}
      />
      <Fact
        name="trouble"
        label={labels.trouble}
        value={rateText(trouble)}
        hint={shareText(trouble, texts.none)}
      />
    </dl>
  );
}

const rateText = ({ part, whole }: Share) => formatRate(rateOf(part, whole));

function shareText({ part, whole }: Share, nothing: string): string {
  return whole === 0 ? nothing : labels.ofWhole(formatCount(part), formatCount(whole));
}

interface FactProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** Small in front of the value. */
  readonly before?: string;
  readonly hint: string;
  readonly bad?: boolean;
}

function Fact({ name, label, value, hint, before = "", bad = false }: FactProps) {
  return (
    <div data-fact={name} data-bad={bad}>
      <dt>{label}</dt>
      <dd class="fact-value">
        {before !== "" && <small>{before}</small>}
        {value}
      </dd>
      <dd class="fact-hint">{hint}</dd>
    </div>
  );
}
