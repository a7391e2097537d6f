/** What the record adds up to: where the collaboration sticks, how long answers take, and what it cost. */
import { useSignal } from "@preact/signals";
import { api, call } from "../api/client.ts";
import type { Stats } from "../api/types.ts";
import { useLoad } from "../api/use-load.ts";
import { formatCount } from "../language/format.ts";
import { addressOf, place } from "../location/place.ts";
import { EmptyNote, LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { CostFigures } from "./cost-figures.tsx";
import { isEmpty } from "./facts.ts";
import { FactsStrip } from "./facts-strip.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { readFilters, type StatsQuery, statsQuery } from "./filters.ts";
import { Findings } from "./findings.tsx";
import "./insight.css";
import "./plot/plot.css";
import { MessageFigures } from "./message-figures.tsx";
import { MirrorLine } from "./mirror-line.tsx";
import { timeSteps } from "./plot/time-steps.ts";
import { texts } from "./texts.ts";
import { TroubleFigures } from "./trouble-figures.tsx";

export function Page() {
  const filters = readFilters(place.value.query);
  const query = statsQuery(filters, Date.now());
  /** Counts how often everything was read anew. */
  const revision = useSignal(0);
  const { loaded, reload } = useLoad(
    (signal) => call(api.stats.$get({ query }, { init: { signal } })),
    [...Object.values(query)],
  );
  const { data, problem, loading } = loaded.value;
  const refresh = () => {
    revision.value += 1;
    reload();
  };
  return (
    <div class="insight" aria-busy={loading}>
      <header class="insight-head">
        <h1 tabIndex={-1}>{texts.title}</h1>
        <button type="button" aria-disabled={loading} onClick={refresh}>
          {texts.refresh}
        </button>
      </header>
      <FilterBar filters={filters} stats={data} />
      {problem !== null && (
        <ProblemNote problem={problem} {...(problem.kind === "forbidden" ? {} : { retry: reload })} />
      )}
      {data === null && problem === null && <LoadingNote />}
      {data !== null && isEmpty(data) && <Nothing query={query} />}
      {data !== null && !isEmpty(data) && <Figures stats={data} query={query} revision={revision.value} />}
    </div>
  );
}

const MOST_PENDING = 1_000;

function Figures({ stats, query, revision }: { stats: Stats; query: StatsQuery; revision: number }) {
  const { pending, grain, period, series } = stats;
  const steps = timeSteps({ grain, ...period, points: series.map(({ at }) => at) }, Date.now());
  const told = pending < MOST_PENDING ? texts.pending : texts.pendingMany;
  return (
    <>
      {pending > 0 && (
        <p class="insight-note" role="status">
          {told(formatCount(pending))}
        </p>
      )}
      <MirrorLine revision={revision} />
      <FactsStrip stats={stats} />
      <Findings query={query} revision={revision} />
      <TroubleFigures stats={stats} query={query} />
      <CostFigures stats={stats} query={query} steps={steps} />
      <MessageFigures stats={stats} query={query} steps={steps} />
    </>
  );
}

/** Whether nothing fits or nothing is there: only the whole record tells. */
function Nothing({ query }: { query: StatsQuery }) {
  const isNarrow = Object.values(query).some((value) => value !== "");
  const { loaded } = useLoad(
    (signal) => call(api.stats.$get({ query: {} }, { init: { signal } })),
    Object.values(query),
  );
  const { data, problem } = loaded.value;
  if (isNarrow && data === null && problem === null) return <LoadingNote />;
  if (data !== null && isEmpty(data)) return <EmptyNote>{texts.nothingYet}</EmptyNote>;
  return (
    <EmptyNote>
      {texts.nothingHere} <a href={addressOf({ view: "insight", query: { days: "all" } })}>{texts.showAll}</a>
    </EmptyNote>
  );
}
