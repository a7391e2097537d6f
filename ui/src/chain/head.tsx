/** What the chain is and what it took: what started it, cost, tokens, time, how many runs, how deep. */
import type { Chain } from "../api/types.ts";
import { formatCount, formatDuration, formatMoment, formatMoney } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { words } from "../language/words.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { Moment } from "../parts/moment.tsx";
import { RichText } from "../parts/rich-text.tsx";
import { addTokens, NO_TOKENS, type Tokens } from "./chain-run.ts";
import { texts } from "./texts.ts";
import type { Shown } from "./use-chain.ts";

interface HeadProps {
  readonly chain: Chain;
  readonly shown: Shown;
}

/** @param instruction what the root run was told, where there is one and it is known */
export function Head({ chain, shown, instruction }: HeadProps & { readonly instruction: string | null }) {
  const root = shown.runs.find(({ runId }) => runId === chain.rootRunId);
  const first = root?.begunAt ?? shown.rows[0]?.run.begunAt ?? chain.messages[0]?.occurredAt ?? "";
  return (
    <header class="chain-head">
      <div class="chain-title">
        <h1 tabIndex={-1}>
          {texts.title} <Moment iso={first} format={formatMoment} />
        </h1>
        <p class="chain-id">
          <code>{chain.rootRunId}</code>
        </p>
      </div>
      <Start chain={chain} shown={shown} instruction={instruction} />
      <Facts chain={chain} shown={shown} />
    </header>
  );
}

function Start({ chain, shown, instruction }: HeadProps & { readonly instruction: string | null }) {
  const root = shown.runs.find(({ runId }) => runId === chain.rootRunId);
  if (root !== undefined)
    return (
      <section class="start" aria-label={texts.startedBy}>
        <p>
          {texts.startedBy} <strong>{labelOf(words.triggers, root.trigger)}</strong>
          {" \u2192 "}
          <AgentName agentId={root.agentId} />
        </p>
        {instruction !== null && <Quote text={instruction} />}
      </section>
    );
  const act = chain.messages.find(({ runId }) => runId === chain.rootRunId);
  const isAct = chain.rootRunId.startsWith("@human.");
  return (
    <section class="start" aria-label={texts.startedBy}>
      <p>
        {isAct ? texts.personAct : texts.lostRoot}
        {act !== undefined && (
          <>
            {" \u2192 "}
            <AgentName agentId={act.toAgentId} />
          </>
        )}
      </p>
      {act !== undefined && <Quote text={act.content} />}
    </section>
  );
}

const FOLDED_CHARS = 220;
const MAX_LINES = 4;

function Quote({ text }: { text: string }) {
  if (text.length <= FOLDED_CHARS && text.split("\n").length <= MAX_LINES)
    return (
      <blockquote>
        <RichText text={text} />
      </blockquote>
    );
  return (
    <details class="quote">
      <summary>
        <span class="plain-text one-line" dir="auto">
          {text.slice(0, FOLDED_CHARS).replaceAll(/\s+/g, " ")} ...
        </span>
      </summary>
      <blockquote>
        <RichText text={text} />
      </blockquote>
    </details>
  );
}

function Facts({ chain, shown }: HeadProps) {
  const { totals } = chain;
  const roots = shown.rows.filter(({ parent }) => parent === null);
  const count = (value: (row: (typeof roots)[number]) => number) =>
    roots.reduce((sum, row) => sum + value(row), 0);
  const open = count(({ sum }) => sum.open);
  const failures = count(({ sum }) => sum.failures);
  const unpriced = totals.unpricedRuns;
  const wall =
    open > 0 ? Math.max(totals.durationMs, ...roots.map(({ sum }) => sum.wallMs)) : totals.durationMs;
  const cost = formatMoney(totals.costUsd, words.unknownCost);
  return (
    <dl class="facts">
      <div>
        <dt>{texts.facts.cost}</dt>
        <dd class="big">{unpriced > 0 && totals.costUsd !== null ? texts.atLeast(cost) : cost}</dd>
        {unpriced > 0 && <dd>{texts.unpriced(formatCount(unpriced))}</dd>}
      </div>
      <div class="fact-tokens">
        <dt>{texts.facts.tokens}</dt>
        <dd class="big">{formatCount(totals.inputTokens + totals.outputTokens)}</dd>
        <dd>
          <TokenBar tokens={shown.runs.reduce((sum, run) => addTokens(sum, run.tokens), NO_TOKENS)} />
        </dd>
      </div>
      <div>
        <dt>{texts.facts.time}</dt>
        <dd class="big">{formatDuration(wall)}</dd>
      </div>
      <div>
        <dt>{texts.facts.runs}</dt>
        <dd class="big">{formatCount(totals.runs)}</dd>
        {open > 0 && <dd class="tone-busy">{texts.open(formatCount(open))}</dd>}
      </div>
      <div>
        <dt>{texts.facts.depth}</dt>
        <dd class="big">{formatCount(totals.depth)}</dd>
      </div>
      <div>
        <dt>{texts.facts.failures}</dt>
        <dd class={failures > 0 ? "big tone-bad" : "big"}>{formatCount(failures)}</dd>
      </div>
    </dl>
  );
}

const KINDS = ["input", "cached", "output", "reasoning"] as const;

/** One bar of all tokens: cached ones are part of the input, reasoning ones of the output. */
export function TokenBar({ tokens }: { tokens: Tokens }) {
  const { input, cached, output, reasoning } = tokens;
  const all = Math.max(1, input + output);
  const parts = { input: input - cached, cached, output: output - reasoning, reasoning };
  return (
    <figure class="tokens">
      <div class="token-bar" aria-hidden="true">
        {KINDS.map((kind) => (
          <span
            key={kind}
            data-kind={kind}
            style={{ inlineSize: `${(100 * Math.max(0, parts[kind])) / all}%` }}
          />
        ))}
      </div>
      <table>
        <caption class="unseen">{texts.tokenTable}</caption>
        <tbody>
          {KINDS.filter((kind) => kind === "input" || kind === "output" || tokens[kind] > 0).map((kind) => (
            <tr key={kind}>
              <th scope="row" data-kind={kind}>
                {texts.tokenKinds[kind]}
              </th>
              <td>{formatCount(tokens[kind])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
