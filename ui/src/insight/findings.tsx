/** What stands out: why it is shown, what the cause may be, and the way to what is behind it. */
import { useState } from "preact/hooks";
import { agentOf } from "../api/assignees.ts";
import { api, call } from "../api/client.ts";
import type { Finding } from "../api/types.ts";
import { useLoad } from "../api/use-load.ts";
import { formatCount, formatMoment } from "../language/format.ts";
import { addressOf } from "../location/place.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { LoadingNote, ProblemNote } from "../parts/notes.tsx";
import type { StatsQuery } from "./filters.ts";
import { type Target, targetsOf } from "./finding-targets.ts";
import { findingCause, findingNumbers, findingSentence, findingTitle } from "./finding-texts.ts";
import { Files } from "./plot/figure.tsx";
import { texts } from "./texts.ts";

const labels = texts.findings;
/** Of one code at first. */
const FIRST = 2;

export function Findings({
  query: { channel: _ofMessages, ...query },
  revision,
}: {
  query: StatsQuery;
  revision: number;
}) {
  const { loaded, reload } = useLoad(
    (signal) => call(api.findings.$get({ query }, { init: { signal } })),
    [...Object.values(query), revision],
  );
  const { data, problem } = loaded.value;
  const groups = data === null ? [] : [...Map.groupBy(data.findings, ({ code }) => code)];
  return (
    <section class="insight-section findings" aria-labelledby="findings-title">
      <header>
        <h2 id="findings-title">
          {labels.title} {data !== null && <span class="quiet">{formatCount(data.findings.length)}</span>}
        </h2>
        {groups.length > 0 && (
          <Files title={labels.title} path="/api/findings" query={query} file="findings" />
        )}
      </header>
      {problem !== null && <ProblemNote problem={problem} retry={reload} />}
      {data === null && problem === null && <LoadingNote />}
      {data !== null && groups.length === 0 && <p class="quiet">{labels.none}</p>}
      <div class="finding-groups">
        {groups.map(([code, findings]) => (
          <Group key={code} code={code} findings={findings} />
        ))}
      </div>
    </section>
  );
}

function Group({ code, findings }: { code: string; findings: readonly Finding[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? findings : findings.slice(0, FIRST);
  return (
    <section class="finding-group card" data-code={code}>
      <h3>
        {findingTitle(code)} <span class="quiet">{formatCount(findings.length)}</span>
      </h3>
      <ol>
        {shown.map((finding) => (
          <li key={finding.id}>
            <One finding={finding} />
          </li>
        ))}
      </ol>
      {findings.length > FIRST && (
        <button type="button" class="bare figure-more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? texts.fewer : labels.more(formatCount(findings.length - FIRST))}
        </button>
      )}
    </section>
  );
}

function One({ finding }: { finding: Finding }) {
  const { example, firstAt, lastAt } = finding;
  return (
    <article class="finding" data-finding={finding.id}>
      <p>
        <Sentence text={findingSentence(finding)} agents={finding.agents} />
      </p>
      {example?.question != null && (
        <Quote
          label={finding.taskId === null ? labels.question : `${labels.task}:`}
          text={example.question}
        />
      )}
      {example?.answer != null && <Quote label={labels.answer} text={example.answer} />}
      <p class="finding-cause">
        <strong>{labels.cause}:</strong> {findingCause(finding)}
      </p>
      <dl class="finding-numbers">
        {findingNumbers(finding).map(([label, amount]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{amount}</dd>
          </div>
        ))}
        {firstAt !== null && <When label={labels.from} iso={firstAt} />}
        {lastAt !== null && <When label={labels.to} iso={lastAt} />}
      </dl>
      <Links finding={finding} />
    </article>
  );
}

function When({ label, iso }: { label: string; iso: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Moment iso={iso} format={formatMoment} />
      </dd>
    </div>
  );
}

/** Names of agents go into their places as elements: whatever they hold stays theirs. */
function Sentence({ text, agents }: { text: string; agents: readonly string[] }) {
  return (
    <>
      {text.split(/(\{\d\})/).map((part, index) => {
        const agentId = /^\{\d\}$/.test(part) ? agents[Number(part[1])] : undefined;
        return agentId === undefined ? part : <AgentName key={index} agentId={agentOf(agentId)} />;
      })}
    </>
  );
}

function Quote({ label, text }: { label: string; text: string }) {
  return (
    <blockquote class="finding-quote">
      <span class="quiet">{label}</span>{" "}
      <span class="plain-text" dir="auto">
        {text}
      </span>
    </blockquote>
  );
}

function Links({ finding }: { finding: Finding }) {
  const { conversation, task, messages, chains } = targetsOf(finding);
  const [chain] = chains;
  return (
    <div class="finding-links">
      {conversation !== null && <Go icon="talk" label={labels.conversation} target={conversation} />}
      {task !== null && <Go icon="board" label={labels.task} target={task} />}
      {chain !== undefined && <Go icon="chain" label={labels.chain} target={chain.target} />}
      {(messages.length > 1 || chains.length > 1) && (
        <details>
          <summary>
            {[
              messages.length > 1 ? labels.messages(formatCount(messages.length)) : "",
              chains.length > 1 ? labels.chains(formatCount(chains.length)) : "",
            ]
              .filter((text) => text !== "")
              .join(", ")}
          </summary>
          <ul aria-label={labels.behind}>
            {messages.map(({ id, at, target }) => (
              <li key={id}>
                <Go icon="talk" label={formatMoment(new Date(at).toISOString())} target={target} />
              </li>
            ))}
            {chains.map(({ rootRunId, target }) => (
              <li key={rootRunId}>
                <Go icon="chain" label={rootRunId} target={target} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Go({ icon, label, target }: { icon: IconName; label: string; target: Target }) {
  return (
    <a href={addressOf(target)}>
      <Icon name={icon} /> <bdi>{label}</bdi>
    </a>
  );
}
