/** The chain as a conversation: nobody is own here, so all stand on the left in their agent's colour. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { nameOf } from "../api/team.ts";
import type { Chain, Message } from "../api/types.ts";
import { formatClock, formatCount, formatMoment } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { words } from "../language/words.ts";
import { addressOf, place } from "../location/place.ts";
import { AgentMark, AgentName, hueClass } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { EmptyNote } from "../parts/notes.tsx";
import { RichText } from "../parts/rich-text.tsx";
import { Status } from "../parts/status.tsx";
import { ownCost, ownTime, RunStatus } from "./run-parts.tsx";
import { keyOf, type Selection, selectMessage, selectRun } from "./selection.ts";
import { texts } from "./texts.ts";
import { type Line, transcriptLines } from "./transcript.ts";
import type { TreeRow } from "./tree.ts";
import type { Shown } from "./use-chain.ts";

interface SaidProps {
  readonly chain: Chain;
  readonly shown: Shown;
  readonly selection: Selection;
}

/** Larger chains begin folded. */
const UNFOLDED_LINES = 80;
const MAX_INDENT = 6;

export function Said({ chain, shown, selection }: SaidProps) {
  const { messages, tasks } = chain;
  const { rows } = shown;
  const changed = useSignal<ReadonlyMap<string, boolean>>(new Map());
  const small = messages.length + rows.length <= UNFOLDED_LINES;
  const opened = useMemo(() => above(rows, selection), [rows, selection.run, selection.message]);
  const isFolded = (row: TreeRow) =>
    changed.value.get(row.run.runId) ?? (!small && row.level > 1 && !opened.has(row.run.runId));
  const lines = transcriptLines({ rows, messages, tasks }, isFolded);
  const feed = useRef<HTMLDivElement>(null);
  useArrival(feed, selection);
  if (messages.length === 0) return <EmptyNote>{texts.noMessages}</EmptyNote>;
  const fold = (row: TreeRow) =>
    (changed.value = new Map([...changed.value, [row.run.runId, !isFolded(row)]]));
  return (
    <div class="said" role="feed" aria-label={texts.readings.transcript} ref={feed} onKeyDown={onPageKeys}>
      {lines.map((line, index) =>
        line.kind === "message" ? (
          <Bubble
            key={`m ${line.message.uid}`}
            line={line}
            place={index + 1}
            isSelected={line.message === selection.message}
          />
        ) : (
          <RunLine
            key={`r ${line.row.run.runId}`}
            line={line}
            place={index + 1}
            isSelected={selection.message === null && line.row.run === selection.run}
            fold={() => fold(line.row)}
          />
        ),
      )}
    </div>
  );
}

/** The runs that must be unfolded for the selection to be seen. */
function above(rows: readonly TreeRow[], { run, message }: Selection): ReadonlySet<string> {
  const chosen = message?.runId ?? run?.runId;
  const ids = new Set<string>();
  let row = rows.find((each) => each.run.runId === chosen);
  while (row !== undefined) {
    ids.add(row.run.runId);
    row = row.parent === null ? undefined : rows[row.parent];
  }
  return ids;
}

/** Whoever comes with a link to a message finds it in view. */
function useArrival(feed: { readonly current: HTMLDivElement | null }, { message, run }: Selection): void {
  const came = useRef(false);
  useEffect(() => {
    if (came.current || (message === null && run === null)) return;
    came.current = true;
    feed.current?.querySelector('[data-last="true"]')?.scrollIntoView({ block: "center" });
  });
}

type LineOf<Kind extends Line["kind"]> = Extract<Line, { readonly kind: Kind }>;

interface LineProps<Kind extends Line["kind"]> {
  readonly line: LineOf<Kind>;
  /** From 1. */
  readonly place: number;
  readonly isSelected: boolean;
}

function Bubble({ line, place: at, isSelected }: LineProps<"message">) {
  const { message } = line;
  const { fromAgentId, toAgentId, channel, status, taskId } = message;
  const id = `said-${encodeURIComponent(message.uid)}`;
  return (
    <article
      class={`said-bubble ${hueClass(fromAgentId)}`}
      data-last={isSelected}
      style={{ "--level": Math.min(line.level - 1, MAX_INDENT) }}
      tabIndex={-1}
      aria-posinset={at}
      aria-setsize={-1}
      aria-labelledby={id}
    >
      <AgentMark agentId={fromAgentId} />
      <div class="said-body">
        <p class="said-head" id={id}>
          <bdi class="said-from">{nameOf(fromAgentId)}</bdi>
          <span class="unseen"> {texts.to} </span>
          <span aria-hidden="true">{"\u2192"}</span> <bdi>{nameOf(toAgentId)}</bdi>
          <span class="channel">{labelOf(words.channels, channel)}</span>
          {status !== "delivered" && <Status of="message" value={status} />}
          {taskId !== null && (
            <a href={addressOf({ view: "tasks", query: { task: taskId } })}>
              <Icon name="board" />
              {words.task}
            </a>
          )}
          <MessageLink message={message} />
        </p>
        <Text message={message} />
      </div>
    </article>
  );
}

function MessageLink({ message }: { message: Message }) {
  const { query } = place.value;
  const href = addressOf({ ...place.value, query: { ...query, run: null, m: keyOf(message) } });
  return (
    <a
      class="said-time"
      href={href}
      title={texts.permalink}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        selectMessage(message);
      }}
    >
      <Moment iso={message.occurredAt} format={formatClock} />
    </a>
  );
}

const FOLDED_CHARS = 900;

function Text({ message }: { message: Message }) {
  const whole = useSignal(false);
  const { content, truncated } = message;
  const isLong = content.length > FOLDED_CHARS + 200;
  return (
    <>
      <RichText text={isLong && !whole.value ? cut(content) : content} />
      {truncated && whole.value && <p class="quiet">{texts.whole}</p>}
      {isLong && (
        <button
          type="button"
          class="bare"
          aria-expanded={whole.value}
          onClick={() => (whole.value = !whole.value)}
        >
          {whole.value ? words.less : words.more}
        </button>
      )}
    </>
  );
}

/** Never within a character. */
function cut(text: string): string {
  return `${text.slice(0, FOLDED_CHARS).replace(/[\ud800-\udbff]$/, "")} ...`;
}

function RunLine({ line, place: at, isSelected, fold }: LineProps<"run"> & { fold(): void }) {
  const { row, inner, folded, level } = line;
  const { run } = row;
  const id = `run-${run.runId}`;
  return (
    <article
      class={`run-line ${hueClass(run.agentId)}`}
      data-last={isSelected}
      style={{ "--level": Math.min(level - 1, MAX_INDENT) }}
      tabIndex={-1}
      aria-posinset={at}
      aria-setsize={-1}
      aria-labelledby={id}
    >
      <button type="button" class="bare run-name" id={id} onClick={() => selectRun(run.runId)}>
        <AgentName agentId={run.agentId} /> {texts.works}
      </button>
      <RunStatus run={run} />
      <span class="quiet">
        {run.status !== null && `${ownTime(run)} \u00b7 ${ownCost(run)}`}
        {run.status === null && <Moment iso={run.begunAt} format={formatMoment} />}
      </span>
      {inner > 0 && (
        <button type="button" class="bare" aria-expanded={!folded} onClick={fold}>
          <Icon name={folded ? "down" : "up"} />
          {folded ? texts.unfold(formatCount(inner)) : texts.fold}
        </button>
      )}
    </article>
  );
}

/** Page Down and Page Up go from line to line, as in every feed. */
function onPageKeys(event: KeyboardEvent): void {
  if (event.key !== "PageDown" && event.key !== "PageUp") return;
  const target = event.target instanceof Element ? event.target : null;
  const line = target?.closest("article");
  const next =
    line == null
      ? target?.querySelector("article")
      : event.key === "PageDown"
        ? line.nextElementSibling
        : line.previousElementSibling;
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}
