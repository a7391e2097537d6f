/** Messages of all conversations that hold the words, newest first; each leads to its place. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Problem } from "../api/client.ts";
import { nameOf } from "../api/team.ts";
import { formatRecent } from "../language/format.ts";
import { addressOf, place } from "../location/place.ts";
import { announce } from "../parts/announce.tsx";
import { Moment } from "../parts/moment.tsx";
import { LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { comebacks } from "../session/session.ts";
import { readFilters } from "./filters.ts";
import { snippetOf, termsOf } from "./find-terms.ts";
import { readMessages } from "./read-messages.ts";
import { keyOf, type Row } from "./row.ts";
import { texts } from "./texts.ts";

const PAGE = 50;

interface Found {
  readonly rows: readonly Row[];
  readonly older: string | null;
  readonly partial: boolean;
  readonly loading: boolean;
  readonly problem: Problem | null;
}

const NOTHING: Found = { rows: [], older: null, partial: false, loading: true, problem: null };

export function SearchResults({ search }: { search: string }) {
  const found = useSignal<Found>(NOTHING);
  const wish = useSignal<{ readonly search: string; readonly before: string | null }>({
    search,
    before: null,
  });
  useEffect(() => {
    found.value = NOTHING;
    wish.value = { search, before: null };
  }, [search, found, wish]);
  const comeback = found.value.problem === null ? 0 : comebacks.value;
  useEffect(() => {
    if (wish.value.search !== search) return;
    const wanted = new AbortController();
    void readOn(wish.value, wanted.signal).then((changes) => {
      if (!wanted.signal.aborted) found.value = changes(found.peek());
    });
    return () => wanted.abort();
  }, [wish.value, comeback]);
  const { rows, older, partial, loading, problem } = found.value;
  const readMore = () => {
    found.value = { ...found.peek(), loading: true, problem: null };
    wish.value = { search, before: older };
  };
  return (
    <section class="results" aria-labelledby="results-title" aria-busy={loading}>
      <h2 id="results-title">{texts.messagesFound}</h2>
      {problem !== null && <ProblemNote problem={problem} retry={readMore} />}
      {loading && rows.length === 0 && <LoadingNote />}
      {!loading && problem === null && rows.length === 0 && (
        <p class="quiet side-hint">{texts.noMessageFound}</p>
      )}
      <ol>
        {rows.map((row) => (
          <Result key={row.uid} row={row} search={search} />
        ))}
      </ol>
      {partial && !loading && <p class="quiet side-hint">{texts.partial}</p>}
      {older !== null && problem === null && (
        <button type="button" aria-disabled={loading} onClick={readMore}>
          {texts.moreHits}
        </button>
      )}
    </section>
  );
}

async function readOn(
  { search, before }: { search: string; before: string | null },
  signal: AbortSignal,
): Promise<(found: Found) => Found> {
  const filters = { ...readFilters({}), q: search };
  const answer = await readMessages(filters, { limit: PAGE, ...(before === null ? {} : { before }) }, signal);
  if (!answer.ok) return (found) => ({ ...found, loading: false, problem: answer.problem });
  const { messages, older, partial } = answer.data;
  if (!signal.aborted && messages.length === 0) announce(texts.noMessageFound);
  return (found) => ({
    rows: [...(before === null ? [] : found.rows), ...messages.toReversed()],
    older,
    partial,
    loading: false,
    problem: null,
  });
}

function Result({ row, search }: { row: Row; search: string }) {
  const { before, hit, after } = snippetOf(row.content, termsOf(search));
  const [a = "", b = ""] = row.pairKey.split("|");
  // Filters of the conversation that is open could hide the message.
  const query = { search, a, b, m: keyOf(row) };
  const current = place.value.query.m === query.m;
  return (
    <li>
      <a
        class="result"
        href={addressOf({ view: "communication", query })}
        aria-current={current ? "true" : undefined}
      >
        <span class="result-who">
          <bdi>{nameOf(row.fromAgentId)}</bdi> <span class="quiet">{texts.to}</span>{" "}
          <bdi>{nameOf(row.toAgentId)}</bdi>
        </span>
        <span class="pair-time">
          <Moment iso={row.occurredAt} format={(iso) => formatRecent(iso, new Date())} />
        </span>
        <span class="result-text" dir="auto">
          {before}
          <mark>{hit}</mark>
          {after}
        </span>
      </a>
    </li>
  );
}
