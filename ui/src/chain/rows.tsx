/** The tree of runs, as a table of what each took or, with bars, over time. */
import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { formatCount, formatDuration } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { words } from "../language/words.ts";
import { AgentName, hueClass } from "../parts/agent-mark.tsx";
import { Model, ownCost, ownTime, RunStatus, Share, sumCost } from "./run-parts.tsx";
import { selectRun } from "./selection.ts";
import { texts } from "./texts.ts";
import { layTimeline, type Timeline } from "./timeline.ts";
import { type TreeRow, visibleRows } from "./tree.ts";
import { keyMove } from "./tree-keys.ts";
import type { Shown } from "./use-chain.ts";

interface RowsProps {
  readonly shown: Shown;
  /** Whether the runs are drawn over time. */
  readonly bars: boolean;
  /** The chosen run. */
  readonly selected: string | null;
}

/** So many rows are in the page at first; a chain may have thousands. */
const FIRST_ROWS = 1_000;
/** Deeper rows are indented no further, and say how deep they are. */
const MAX_INDENT = 10;

export function Rows({ shown, bars, selected }: RowsProps) {
  const folded = useSignal<ReadonlySet<string>>(new Set());
  const current = useSignal(selected);
  const limit = useSignal(FIRST_ROWS);
  const { rows } = shown;
  const visible = visibleRows(rows, folded.value);
  const page = visible.slice(0, limit.value);
  const timeline = useMemo(() => (bars ? layTimeline(shown.runs, shown.now) : null), [bars, shown]);
  const isThere = page.some((index) => rows[index]?.run.runId === current.value);
  const tabStop = isThere ? current.value : (rows[page[0] ?? 0]?.run.runId ?? null);
  return (
    <div class={bars ? "rows with-bars" : "rows"}>
      {timeline === null ? <ColumnHeads /> : <Ruler timeline={timeline} />}
      <div
        role="tree"
        aria-label={bars ? texts.readings.timeline : texts.readings.tree}
        onKeyDown={(event) => onKey(event, { rows, page, folded, current })}
        onClick={(event) => onClick(event, { rows, page, folded, current })}
      >
        {page.map((index) => {
          const row = rows[index];
          if (row === undefined) return null;
          const { runId } = row.run;
          return (
            <Row
              key={runId}
              row={row}
              timeline={timeline}
              isFolded={folded.value.has(runId)}
              isSelected={runId === selected}
              isCurrent={runId === tabStop}
            />
          );
        })}
      </div>
      {page.length < visible.length && (
        <button type="button" onClick={() => (limit.value += FIRST_ROWS)}>
          {texts.moreRows(formatCount(Math.min(FIRST_ROWS, visible.length - page.length)))}
        </button>
      )}
    </div>
  );
}

interface RowProps {
  readonly row: TreeRow;
  readonly timeline: Timeline | null;
  readonly isFolded: boolean;
  readonly isSelected: boolean;
  /** The one row that Tab reaches. */
  readonly isCurrent: boolean;
}

function Row({ row, timeline, isFolded, isSelected, isCurrent }: RowProps) {
  const { run, level, place, siblings, sum } = row;
  const isParent = sum.runs > 1;
  return (
    <div
      role="treeitem"
      class={`row ${hueClass(run.agentId)}`}
      data-run={run.runId}
      data-last={isSelected}
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-selected={isSelected}
      aria-expanded={isParent ? !isFolded : undefined}
      tabIndex={isCurrent ? 0 : -1}
    >
      <span class="who" style={{ "--level": Math.min(level - 1, MAX_INDENT) }}>
        {/* For the mouse; by keyboard the arrows fold. */}
        <span
          class="twisty"
          data-state={isParent ? (isFolded ? "folded" : "open") : "leaf"}
          aria-hidden="true"
        />
        {level - 1 > MAX_INDENT && <span class="level">{texts.level(formatCount(level))}</span>}
        <AgentName agentId={run.agentId} />
        <span class="quiet">{labelOf(words.triggers, run.trigger)}</span>
        <Model run={run} />
      </span>
      {timeline === null ? (
        <>
          <RunStatus run={run} />
          <Figure label={texts.columns.time} value={ownTime(run)} />
          <Figure label={texts.columns.cost} value={ownCost(run)} />
          <span class="number sum">
            <span class="unseen">{texts.columns.sum} </span>
            {isParent && `${formatDuration(sum.wallMs)} \u00b7 `}
            {isParent && sumCost(sum)} <Share part={row.costShare ?? row.timeShare} />
          </span>
        </>
      ) : (
        <Track row={row} timeline={timeline} />
      )}
    </div>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <span class="number">
      <span class="label">{label} </span>
      {value}
    </span>
  );
}

function Track({ row, timeline }: { row: TreeRow; timeline: Timeline }) {
  const bar = timeline.bars.get(row.run.runId) ?? { start: 0, started: 0, end: 0 };
  const state = row.run.status ?? "open";
  return (
    <span class="track">
      <span class="bar" data-status={state} style={placed(bar.start, bar.end)} aria-hidden="true">
        <span
          class="waited"
          style={{ inlineSize: percent((bar.started - bar.start) / (bar.end - bar.start || 1)) }}
        />
      </span>
      <span class="bar-label" style={labelPlace(bar.end)}>
        {ownTime(row.run)} <Share part={row.timeShare} />
        {state !== "completed" && <RunStatus run={row.run} />}
      </span>
    </span>
  );
}

/** Behind the bar, or, where that is near the edge, before the edge. */
function labelPlace(end: number) {
  return end > 0.6 ? { insetInlineEnd: percent(1 - end) } : { insetInlineStart: percent(end) };
}

function placed(start: number, end: number) {
  return { insetInlineStart: percent(start), inlineSize: percent(end - start) };
}

function percent(part: number): string {
  return `${(100 * part).toFixed(3)}%`;
}

function ColumnHeads() {
  const { run, time, cost, sum } = texts.columns;
  return (
    <p class="column-heads" aria-hidden="true">
      <span>{run}</span>
      <span>{texts.labels.status}</span>
      <span class="number">{time}</span>
      <span class="number">{cost}</span>
      <span class="number">{sum}</span>
    </p>
  );
}

function Ruler({ timeline }: { timeline: Timeline }) {
  return (
    <p class="ruler" aria-hidden="true">
      <span />
      <span class="track">
        {timeline.ticks.map(({ at, ms }) => (
          <span key={ms} class="tick" style={{ insetInlineStart: percent(at) }}>
            {ms === 0 ? "0" : formatDuration(ms)}
          </span>
        ))}
        {timeline.gaps.map(({ at, ms }) => (
          <span
            key={at}
            class="gap"
            style={{ insetInlineStart: percent(at) }}
            title={texts.pause(formatDuration(ms))}
          >
            {formatDuration(ms)}
          </span>
        ))}
      </span>
    </p>
  );
}

interface Keys {
  readonly rows: readonly TreeRow[];
  /** Indexes of the rows on the page. */
  readonly page: readonly number[];
  readonly folded: Signal<ReadonlySet<string>>;
  readonly current: Signal<string | null>;
}

function onClick(event: MouseEvent, { folded, current }: Keys): void {
  const target = event.target instanceof Element ? event.target : null;
  const runId = target?.closest<HTMLElement>(".row")?.dataset.run;
  if (runId === undefined) return;
  current.value = runId;
  if (target?.closest('.twisty:not([data-state="leaf"])') != null) toggle(folded, runId);
  else selectRun(runId);
}

function onKey(event: KeyboardEvent, { rows, page, folded, current }: Keys): void {
  const runId = event.target instanceof HTMLElement ? event.target.dataset.run : undefined;
  const move = keyMove(event.key, { rows, page, runId, folded: folded.value });
  if (move === null) return;
  event.preventDefault();
  if (move.act === "toggle") toggle(folded, move.runId);
  else current.value = move.runId;
  if (move.act === "choose") selectRun(move.runId);
  const tree = event.currentTarget instanceof HTMLElement ? event.currentTarget : null;
  if (move.act === "focus")
    tree?.querySelector<HTMLElement>(`[data-run="${CSS.escape(move.runId)}"]`)?.focus();
}

function toggle(folded: Signal<ReadonlySet<string>>, runId: string): void {
  const next = new Set(folded.value);
  if (!next.delete(runId)) next.add(runId);
  folded.value = next;
}
