/** The left column: who talks with whom, and a search over everything. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { nameOf } from "../api/team.ts";
import { formatCount, formatRecent } from "../language/format.ts";
import { addressOf, changeQuery, place } from "../location/place.ts";
import { AgentMark } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { EmptyNote, LoadingNote, ProblemNote } from "../parts/notes.tsx";
import type { Pair } from "./pairs.ts";
import { SearchResults } from "./search-results.tsx";
import { isUnread } from "./seen.ts";
import { texts } from "./texts.ts";
import { useLater } from "./use-later.ts";
import type { KnownPairs } from "./use-pairs.ts";

const TYPING_MS = 300;

export function SideList({ known, open }: { known: KnownPairs; open: string | null }) {
  const { search = "" } = place.value.query;
  const { pairs, problem } = known.state.value;
  const wanted = search.trim().toLocaleLowerCase();
  const shown = (pairs ?? []).filter((pair) => isAbout(pair, wanted));
  return (
    <>
      <SearchField search={search} />
      <div class="side-scroll">
        {problem !== null && <ProblemNote problem={problem} retry={known.reload} />}
        {pairs === null && problem === null && <LoadingNote />}
        {pairs?.length === 0 && <EmptyNote>{texts.noPairs}</EmptyNote>}
        {shown.length > 0 && (
          <nav aria-label={texts.pairs}>
            <ul class="pairs">
              {shown.map((pair) => (
                <PairItem key={pair.pairKey} pair={pair} current={pair.pairKey === open} />
              ))}
            </ul>
          </nav>
        )}
        {wanted !== "" && shown.length === 0 && pairs !== null && (
          <p class="quiet side-hint">{texts.noAgentFound}</p>
        )}
        {wanted !== "" && <SearchResults search={search.trim()} />}
      </div>
    </>
  );
}

function isAbout({ agentA, agentB }: Pair, wanted: string): boolean {
  const names = [agentA, agentB, nameOf(agentA), nameOf(agentB)].join("\n").toLocaleLowerCase();
  return wanted.split(/\s+/).every((word) => names.includes(word));
}

function SearchField({ search }: { search: string }) {
  const text = useSignal(search);
  const typed = useRef<HTMLInputElement>(null);
  const later = useLater(TYPING_MS);
  // The address may change by other ways than this field: back and forward, a link.
  useEffect(() => {
    if (document.activeElement !== typed.current) text.value = search;
  }, [search, text]);
  const change = (value: string) => {
    text.value = value;
    later(() => changeQuery({ search: value }, "replace"));
  };
  return (
    <search class="side-search">
      <Icon name="search" />
      <input
        ref={typed}
        type="search"
        name="search"
        placeholder={texts.searchAll}
        aria-label={texts.searchAll}
        value={text.value}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") change("");
        }}
      />
    </search>
  );
}

function PairItem({ pair, current }: { pair: Pair; current: boolean }) {
  const { agentA, agentB, lastAt, lastText, messages, failed } = pair;
  const unread = !current && isUnread(pair);
  // The filters stay; what belongs to the other conversation goes.
  const query = { ...place.value.query, a: agentA, b: agentB, m: "", find: "" };
  return (
    <li>
      <a
        class="pair"
        href={addressOf({ view: "communication", query })}
        aria-current={current ? "true" : undefined}
        data-unread={unread}
      >
        <span class="pair-marks">
          <AgentMark agentId={agentA} />
          <AgentMark agentId={agentB} />
        </span>
        <span class="pair-names">
          <bdi>{nameOf(agentA)}</bdi> <span class="quiet">·</span> <bdi>{nameOf(agentB)}</bdi>
        </span>
        <span class="pair-time">
          <Moment iso={lastAt} format={(iso) => formatRecent(iso, new Date())} />
        </span>
        <span class="pair-last" dir="auto">
          {lastText}
        </span>
        <span class="pair-counts">
          {failed > 0 && (
            <span class="pair-failed" title={texts.failedCount(formatCount(failed))}>
              <span class="unseen">{texts.failedCount(formatCount(failed))}</span>
            </span>
          )}
          {unread && <span class="pair-new">{texts.unread}</span>}
          <span class="quiet" title={texts.messageCount(formatCount(messages))}>
            {formatCount(messages)}
          </span>
        </span>
      </a>
    </li>
  );
}
