/** The transcript: a feed of messages that grows at both ends. */
import { useSignal } from "@preact/signals";
import { Fragment, type RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { dayKey, formatCount, formatDay, formatDuration } from "../language/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ProblemNote } from "../parts/notes.tsx";
import { Bubble } from "./bubble.tsx";
import { moveInFeed } from "./feed-keys.ts";
import { groupRows } from "./group-rows.ts";
import type { Row } from "./row.ts";
import { texts } from "./texts.ts";
import type { Transcript, TranscriptState } from "./transcript.ts";
import { useAnchor } from "./use-anchor.ts";
import { useEdges } from "./use-edges.ts";
import { useHighlights } from "./use-highlights.ts";

interface TranscriptViewProps {
  readonly transcript: Transcript;
  readonly label: string;
  readonly own: string;
  readonly terms: readonly string[];
  /** The message that the address names. */
  readonly chosen: string | null;
  readonly hrefOf: (key: string) => string;
  readonly onNewest: () => void;
  readonly onSeen: (newest: Row) => void;
}

export function TranscriptView(props: TranscriptViewProps) {
  const { transcript, terms, onSeen } = props;
  const state = transcript.state.value;
  const { window, target } = state;
  const scroller = useRef<HTMLDivElement>(null);
  const watching = useSignal(true);
  const rows = window?.rows ?? [];
  const newest = rows.at(-1);
  const atNewest = window !== null && window.newer === null;
  const scrolled = useAnchor(scroller, {
    target,
    atNewest,
    onWatch: (watched) => {
      watching.value = watched;
      transcript.watchEnd(watched);
    },
    onArrive: arriveAt,
  });
  useEdges(scroller, transcript, window);
  useHighlights(scroller, terms, props.chosen);
  useEffect(() => {
    if (newest !== undefined && atNewest && watching.value) onSeen(newest);
  }, [newest, atNewest, watching.value, onSeen]);
  return (
    <div class="transcript-frame">
      <div class="transcript" ref={scroller} onScroll={scrolled} data-watching={watching.value}>
        <div class="transcript-content">
          <Edge state={state} side="older" transcript={transcript} />
          <Feed {...props} state={state} scroller={scroller} />
          <Edge state={state} side="newer" transcript={transcript} />
        </div>
      </div>
      {window !== null && !(watching.value && atNewest) && rows.length > 0 && (
        <button type="button" class="to-newest" onClick={() => leaveFor(scroller, props.onNewest)}>
          <Icon name="down" />
          {state.fresh > 0 ? texts.newMessages(formatCount(state.fresh)) : texts.toNewest}
        </button>
      )}
    </div>
  );
}

/** The button goes away with what it does, so the focus goes on to the newest message. */
function leaveFor(scroller: RefObject<HTMLElement | null>, go: () => void): void {
  go();
  requestAnimationFrame(() => {
    const rows = scroller.current?.querySelectorAll<HTMLElement>("article");
    rows?.[rows.length - 1]?.focus({ preventScroll: true });
  });
}

/** Whoever follows a link into the conversation finds the focus there, but not while typing a search. */
function arriveAt(row: HTMLElement): void {
  if (!(document.activeElement instanceof HTMLInputElement) && !isIn(document.activeElement, ".find"))
    row.focus({ preventScroll: true });
  row.classList.remove("flash");
  void row.offsetWidth;
  row.classList.add("flash");
}

function isIn(element: Element | null, selector: string): boolean {
  return element?.closest(selector) != null;
}

type FeedProps = TranscriptViewProps & {
  readonly state: TranscriptState;
  readonly scroller: RefObject<HTMLElement | null>;
};

function Feed({ state, label, own, hrefOf, scroller }: FeedProps) {
  const current = useSignal<string | null>(null);
  const rows = state.window?.rows ?? [];
  const days = useMemo(() => groupRows(rows, dayKey), [rows]);
  const positions = useMemo(() => new Map(rows.map((row, index) => [row.uid, index + 1])), [rows]);
  const reasons = useMemo(() => answersOf(rows), [rows]);
  const tabStop = positions.has(current.value ?? "") ? current.value : rows.at(-1)?.uid;
  const now = new Date();
  if (rows.length === 0) return null;
  return (
    <div
      class="feed"
      role="feed"
      aria-label={label}
      aria-busy={state.loading !== null}
      onFocusIn={(event) => {
        const uid = event.target instanceof Element && event.target.closest("article")?.dataset.uid;
        if (uid) current.value = uid;
      }}
      onKeyDown={(event) => moveInFeed(event, scroller.current)}
    >
      {days.map((day) => (
        <div class="day" key={day.key}>
          <div class="day-chip">
            <span>{formatDay(day.rows[0]?.row.occurredAt ?? "", now)}</span>
          </div>
          {day.rows.map((placed) => (
            <Fragment key={placed.row.uid}>
              {placed.pause !== null && (
                <div class="pause">
                  <span>{texts.pause(formatDuration(placed.pause))}</span>
                </div>
              )}
              <Bubble
                {...placed}
                own={own}
                position={positions.get(placed.row.uid) ?? 0}
                current={placed.row.uid === tabStop}
                hrefOf={hrefOf}
                reason={reasonOf(placed.row, reasons)}
              />
            </Fragment>
          ))}
        </div>
      ))}
    </div>
  );
}

const REQUEST = /:request$/;
const REASON_CHARS = 300;

/** What was answered to a question that did not go through is the reason why. */
function answersOf(rows: readonly Row[]): ReadonlyMap<string, string> {
  return new Map(
    rows
      .filter(({ direction, status }) => direction === "response" && status !== "delivered")
      .map((row) => [row.uid, row.content.slice(0, REASON_CHARS)]),
  );
}

function reasonOf(row: Row, answers: ReadonlyMap<string, string>): string | null {
  if (row.status === "delivered" || row.direction !== "request") return null;
  return answers.get(row.uid.replace(REQUEST, ":response")) ?? null;
}

interface EdgeProps {
  readonly state: TranscriptState;
  readonly side: "older" | "newer";
  readonly transcript: Transcript;
}

/** What stands at an end: the way on, that it is on its way, or what went wrong. */
function Edge({ state, side, transcript }: EdgeProps) {
  const { window, problem, loading } = state;
  const goesOn = window?.[side] != null;
  return (
    <div class="edge" data-edge={side}>
      {problem?.at === side && (
        <ProblemNote problem={problem.problem} retry={() => transcript.load(side, "wanted")} />
      )}
      {goesOn && problem?.at !== side && (
        <button
          type="button"
          class="bare"
          aria-disabled={loading === side}
          onClick={() => transcript.load(side, "wanted")}
        >
          <Icon name={side === "older" ? "up" : "down"} />
          {side === "older" ? texts.loadOlder : texts.loadNewer}
        </button>
      )}
      {side === "older" && window !== null && !goesOn && window.rows.length > 0 && (
        <p class="quiet">{texts.beginning}</p>
      )}
    </div>
  );
}
