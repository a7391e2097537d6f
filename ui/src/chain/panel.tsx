/** What is chosen, in full: the message, the run, its figures and those of all below it, its steps and tool calls. */
import { useEffect, useRef } from "preact/hooks";
import type { Chain, Message } from "../api/types.ts";
import { formatCount, formatDuration, formatMoment } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { words } from "../language/words.ts";
import { addressOf } from "../location/place.ts";
import { AgentName, hueClass } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { RichText } from "../parts/rich-text.tsx";
import { Status } from "../parts/status.tsx";
import type { ChainRun } from "./chain-run.ts";
import { TokenBar } from "./head.tsx";
import { Model, ownCost, ownTime, RunStatus, Share, sumCost } from "./run-parts.tsx";
import { keyOf, type Selection, takeFocusWish } from "./selection.ts";
import { Steps } from "./steps.tsx";
import { texts } from "./texts.ts";
import type { TreeRow } from "./tree.ts";
import type { Shown } from "./use-chain.ts";

interface PanelProps {
  readonly chain: Chain;
  readonly shown: Shown;
  readonly selection: Selection;
  close(): void;
}

export function Panel({ shown, selection, close }: PanelProps) {
  const { run, message } = selection;
  const panel = useRef<HTMLElement>(null);
  const chosen = message?.uid ?? run?.runId;
  useEffect(() => {
    if (takeFocusWish()) panel.current?.querySelector("h2")?.focus();
  }, [chosen]);
  const row = shown.rows.find((each) => each.run === run);
  return (
    <aside
      class="chain-panel"
      ref={panel}
      aria-label={texts.details}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <button type="button" class="bare panel-close" aria-label={words.close} onClick={close}>
        <Icon name="cross" />
      </button>
      {message !== null && <MessagePart message={message} />}
      {row !== undefined && <RunPart key={row.run.runId} row={row} />}
    </aside>
  );
}

function MessagePart({ message }: { message: Message }) {
  const { fromAgentId, toAgentId, channel, status, taskId, occurredAt, content, truncated } = message;
  const query = { a: fromAgentId, b: toAgentId, m: keyOf(message) };
  return (
    <section class={`panel-message ${hueClass(fromAgentId)}`}>
      <h2 tabIndex={-1}>
        {texts.messageOf} <AgentName agentId={fromAgentId} /> {texts.to} <AgentName agentId={toAgentId} />
      </h2>
      <p class="panel-line">
        <span class="channel">{labelOf(words.channels, channel)}</span>
        <Status of="message" value={status} />
        <Moment iso={occurredAt} format={formatMoment} />
      </p>
      <div class="panel-text">
        <RichText text={content} />
        {truncated && <p class="quiet">{texts.whole}</p>}
      </div>
      <p class="panel-line">
        <a href={addressOf({ view: "communication", query })}>
          <Icon name="talk" /> {texts.inCommunication}
        </a>
        {taskId !== null && (
          <a href={addressOf({ view: "tasks", query: { task: taskId } })}>
            <Icon name="board" /> {words.task}
          </a>
        )}
      </p>
    </section>
  );
}

function RunPart({ row }: { row: TreeRow }) {
  const { run, sum } = row;
  return (
    <section class={`panel-run ${hueClass(run.agentId)}`}>
      <h2 tabIndex={-1}>
        {texts.runOf} <AgentName agentId={run.agentId} />
      </h2>
      <p class="panel-line">
        <RunStatus run={run} />
      </p>
      {run.error !== null && (
        <p class="panel-error plain-text" dir="auto">
          {run.error}
        </p>
      )}
      <OwnFigures row={row} />
      {sum.runs > 1 && (
        <>
          <h3>{texts.below(formatCount(sum.runs))}</h3>
          <dl class="figures">
            <Pair label={texts.labels.cost} value={sumCost(sum)} />
            <Pair label={texts.labels.time} value={formatDuration(sum.wallMs)} />
            {sum.failures > 0 && <Pair label={texts.labels.failures} value={formatCount(sum.failures)} />}
          </dl>
        </>
      )}
      {row.parent !== null && (
        <p class="panel-line">
          {row.costShare !== null && (
            <span>
              {texts.shareCost} <Share part={row.costShare} />
            </span>
          )}
          {row.timeShare !== null && (
            <span>
              {texts.shareTime} <Share part={row.timeShare} />
            </span>
          )}
        </p>
      )}
      <Steps run={run} />
      <p class="panel-line">
        <a href={addressOf({ view: "log", query: { run: run.runId } })}>
          <Icon name="lines" /> {texts.log}
        </a>
      </p>
      <p class="chain-id">
        <code>{run.runId}</code>
      </p>
    </section>
  );
}

function OwnFigures({ row: { run } }: { row: TreeRow }) {
  const hasTokens = run.tokens.input + run.tokens.output > 0;
  return (
    <>
      <h3>{texts.own}</h3>
      <dl class="figures">
        <Pair label={texts.labels.trigger} value={labelOf(words.triggers, run.trigger)} />
        {run.model !== null && (
          <div>
            <dt>{texts.labels.model}</dt>
            <dd>
              <Model run={run} />
            </dd>
          </div>
        )}
        <div>
          <dt>{texts.labels.began}</dt>
          <dd>
            <Moment iso={run.begunAt} format={formatMoment} />
          </dd>
        </div>
        <Ended run={run} />
      </dl>
      {hasTokens && <TokenBar tokens={run.tokens} />}
    </>
  );
}

function Ended({ run }: { run: ChainRun }) {
  if (run.status === null) return null;
  return (
    <>
      <Pair label={texts.labels.queued} value={formatDuration(run.queuedMs ?? 0)} />
      <Pair label={texts.labels.time} value={ownTime(run)} />
      <Pair label={texts.labels.cost} value={ownCost(run)} />
      <Pair label={texts.labels.steps} value={formatCount(run.steps ?? 0)} />
      <Pair label={texts.labels.calls} value={formatCount(run.toolCalls ?? 0)} />
    </>
  );
}

function Pair({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
