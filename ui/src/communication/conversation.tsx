/** The right side: two pickers, filters, tools, and the transcript. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { onLive } from "../api/live.ts";
import { nameOf } from "../api/team.ts";
import { formatCount } from "../language/format.ts";
import { addressOf, changeQuery, place } from "../location/place.ts";
import { announce } from "../parts/announce.tsx";
import { Icon } from "../parts/icon.tsx";
import { EmptyNote, LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { comebacks } from "../session/session.ts";
import { DatePanel } from "./date-panel.tsx";
import { ExportPanel } from "./export-panel.tsx";
import { FilterChips, FilterFields } from "./filter-bar.tsx";
import { type Filters, instantOf, matches } from "./filters.ts";
import { createFind } from "./find.ts";
import { FindBar } from "./find-bar.tsx";
import { termsOf } from "./find-terms.ts";
import { Pickers } from "./pickers.tsx";
import { readMessages } from "./read-messages.ts";
import { keyOf, type Row, readLiveRow } from "./row.ts";
import { markSeen } from "./seen.ts";
import { texts } from "./texts.ts";
import { createTranscript, type Transcript } from "./transcript.ts";
import { TranscriptView } from "./transcript-view.tsx";
import type { KnownPairs } from "./use-pairs.ts";

interface ConversationProps {
  readonly filters: Filters;
  readonly known: KnownPairs;
  readonly onHelp: () => void;
}

export function Conversation({ filters, known, onHelp }: ConversationProps) {
  const pairs = known.state.value.pairs ?? [];
  const { a, b } = filters;
  const pair = pairs.find(
    ({ agentA, agentB }) => (agentA === a && agentB === b) || (agentA === b && agentB === a),
  );
  const filtered = [filters.channel, filters.status, filters.since, filters.until, filters.q].some(Boolean);
  return (
    <section class="conversation" aria-label={a === "" ? texts.pickPair : headingOf(filters)}>
      <div class="bar">
        <a class="button bare back" href={addressOf({ view: "communication", query: backQuery() })}>
          <Icon name="back" />
          <span class="unseen">{texts.back}</span>
        </a>
        <Pickers filters={filters} pairs={pairs} />
        <div class="tools">
          {a !== "" && (
            <>
              <FindButton />
              <DatePanel />
              <FilterFields filters={filters} />
              <ExportPanel
                filters={filters}
                expected={filtered || pair === undefined ? null : pair.messages}
              />
            </>
          )}
          <button type="button" class="bare" aria-label={texts.help} title={texts.help} onClick={onHelp}>
            <Icon name="keys" />
          </button>
        </div>
      </div>
      {a !== "" && <FilterChips filters={filters} />}
      {a === "" ? (
        <EmptyNote>{texts.pickPair}</EmptyNote>
      ) : (
        <Messages filters={filters} filtered={filtered} />
      )}
    </section>
  );
}

function headingOf({ a, b }: Filters): string {
  return texts.transcript(nameOf(a), b === "" ? texts.all : nameOf(b));
}

function backQuery() {
  const { a: _a, b: _b, m: _m, find: _find, open: _open, ...rest } = place.value.query;
  return rest;
}

function FindButton() {
  return (
    <button
      type="button"
      class="bare find-open"
      aria-label={texts.find}
      title={texts.find}
      aria-expanded={isFinding()}
      onClick={() => {
        if (isFinding()) document.querySelector<HTMLElement>(".find input")?.focus();
        else changeQuery({ open: "find" }, "replace");
      }}
    >
      <Icon name="search" />
    </button>
  );
}

const isFinding = () => place.value.query.open === "find" || (place.value.query.find ?? "") !== "";

function Messages({ filters, filtered }: { filters: Filters; filtered: boolean }) {
  const { query } = place.value;
  const chosen = query.m ?? null;
  const word = (query.find ?? "").trim();
  const transcript = useTranscript(filters, chosen);
  const find = useFind(filters, word);
  const { state } = transcript;
  const { window, loading, problem, partial } = state.value;
  const nothing = window !== null && window.rows.length === 0 && loading === null;
  const terms = termsOf([word, filters.q, query.search ?? ""].join(" "));
  const seen = useRef((row: Row) => markSeen(row.pairKey, row.occurredAt)).current;
  return (
    <>
      {isFinding() && <FindBar find={find} word={word} chosen={chosen} onClose={closeFind} />}
      {problem?.at === "all" && <ProblemNote problem={problem.problem} retry={transcript.catchUp} />}
      {window === null && loading !== null && <LoadingNote />}
      {nothing && <EmptyNote>{filtered ? texts.nothingFits : texts.nothing}</EmptyNote>}
      {partial && <p class="partial quiet">{texts.partial}</p>}
      <TranscriptView
        transcript={transcript}
        label={headingOf(filters)}
        own={filters.b === "" ? "" : filters.a}
        terms={terms}
        chosen={chosen}
        hrefOf={(key) => addressOf({ view: "communication", query: { ...query, m: key } })}
        onNewest={() => {
          changeQuery({ m: "" }, "replace");
          transcript.show(null);
        }}
        onSeen={filters.b === "" || filtered ? ignore : seen}
      />
    </>
  );
}

const ignore = () => undefined;

function closeFind(): void {
  changeQuery({ find: "", open: "" }, "replace");
  document.querySelector<HTMLElement>(".find-open")?.focus();
}

/** A transcript for these filters, shown where the address says. */
function useTranscript(filters: Filters, chosen: string | null): Transcript {
  const key = JSON.stringify(filters);
  const transcript = useMemo(
    () =>
      createTranscript({
        read: (position, signal) => readMessages(filters, position, signal),
        onNews: announceNews,
        onLoaded: (side, count) =>
          announce((side === "older" ? texts.olderLoaded : texts.newerLoaded)(formatCount(count))),
      }),
    [key],
  );
  const comeback = useRef(comebacks.peek());
  useEffect(() => {
    const stop = onLive(({ type, data }) => {
      const row = type === "message" ? readLiveRow(data) : null;
      if (row !== null) transcript.receive(row, matches(row, filters));
    });
    return () => {
      stop();
      transcript.stop();
    };
  }, [transcript]);
  useEffect(() => transcript.show(placeOf(chosen)), [transcript, chosen]);
  const now = comebacks.value;
  useEffect(() => {
    if (comeback.current !== now) transcript.catchUp();
    comeback.current = now;
  }, [transcript, now]);
  return transcript;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The address may name a day; it begins at midnight here. */
function placeOf(chosen: string | null): string | null {
  return chosen !== null && DAY.test(chosen) ? instantOf(chosen) : chosen;
}

function announceNews(rows: readonly Row[]): void {
  const names = [...new Set(rows.map(({ fromAgentId }) => nameOf(fromAgentId)))];
  announce(texts.newFrom(formatCount(rows.length), names.join(", ")));
}

/** Searches when the word or the filters change; the newest hit is shown unless the address names a message. */
function useFind(filters: Filters, word: string) {
  const key = JSON.stringify([filters, word]);
  const find = useMemo(() => {
    if (word === "") return null;
    const q = [filters.q, word].filter(Boolean).join(" ");
    return createFind((position, signal) => readMessages({ ...filters, q }, position, signal));
  }, [key]);
  useEffect(() => {
    void find?.start().then((newest) => {
      if (newest !== null && place.peek().query.m === undefined) changeQuery({ m: keyOf(newest) }, "replace");
    });
    return () => find?.stop();
  }, [find]);
  return find;
}
