/** A chain: all that one instruction caused, read as tree, timeline or transcript, with one selection for all. */
import { useEffect, useRef } from "preact/hooks";
import { api, call } from "../api/client.ts";
import type { Chain } from "../api/types.ts";
import { type Load, useLoad } from "../api/use-load.ts";
import { formatCount } from "../language/format.ts";
import { addressOf, goTo, place } from "../location/place.ts";
import { announce } from "../parts/announce.tsx";
import { EmptyNote, LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { Acts } from "./acts.tsx";
import "./chain.css";
import "./rows.css";
import "./said.css";
import "./panel.css";
import "./narrow.css";
import { ChainTasks } from "./chain-tasks.tsx";
import { Head } from "./head.tsx";
import { Panel } from "./panel.tsx";
import { Rows } from "./rows.tsx";
import { Said } from "./said.tsx";
import { READINGS, readingNow, selectionOf, selectNothing } from "./selection.ts";
import { texts } from "./texts.ts";
import { useChain, useShown } from "./use-chain.ts";

export function Page() {
  const { id } = place.value;
  if (id === null)
    return (
      <div class="chain-main">
        <h1 tabIndex={-1}>{texts.title}</h1>
        <EmptyNote>
          {texts.none} <a href={addressOf({ view: "communication" })}>{texts.toMessages}</a>
        </EmptyNote>
      </div>
    );
  return <ChainOf key={id} rootRunId={id} />;
}

function ChainOf({ rootRunId }: { rootRunId: string }) {
  const load = useChain(rootRunId);
  const instruction = useRoot(rootRunId);
  const { data, problem } = load.loaded.value;
  if (data !== null) return <Loaded chain={data} load={load} instruction={instruction} />;
  return (
    <div class="chain-main">
      <h1 tabIndex={-1}>{texts.title}</h1>
      {problem === null && <LoadingNote />}
      {problem?.code === "not_found" && (
        <EmptyNote>
          {texts.unknown} <a href={addressOf({ view: "communication" })}>{texts.toMessages}</a>
        </EmptyNote>
      )}
      {problem !== null && problem.code !== "not_found" && (
        <ProblemNote problem={problem} retry={load.reload} />
      )}
    </div>
  );
}

/** What the root run was told; null for a person's act. The id of any other run leads on to its chain. */
function useRoot(rootRunId: string): string | null {
  const { loaded } = useLoad(
    (signal) =>
      call(
        api.runs[":runId"].$get({ param: { runId: encodeURIComponent(rootRunId) } }, { init: { signal } }),
      ),
    [rootRunId],
  );
  const run = loaded.value.data?.run;
  const root = run?.rootRunId ?? rootRunId;
  useEffect(() => {
    if (root !== rootRunId)
      goTo(
        addressOf({ view: "chain", id: root, query: { ...place.peek().query, run: rootRunId } }),
        "replace",
      );
  }, [root, rootRunId]);
  return run !== undefined && "input" in run ? run.input : null;
}

interface LoadedProps {
  readonly chain: Chain;
  readonly load: Load<Chain>;
  readonly instruction: string | null;
}

function Loaded({ chain, load, instruction }: LoadedProps) {
  const shown = useShown(chain);
  const selection = selectionOf(chain, shown.runs);
  const reading = readingNow();
  const { problem } = load.loaded.value;
  const isChosen = selection.run !== null || selection.message !== null;
  useNews(chain);
  const close = useClose();
  return (
    <div class="chain" data-panel={isChosen}>
      <div class="chain-main">
        <Head chain={chain} shown={shown} instruction={instruction} />
        {problem !== null && <ProblemNote problem={problem} retry={load.reload} />}
        <Acts chain={chain} reload={load.reload} />
        <ChainTasks tasks={chain.tasks} />
        <Readings />
        <Cuts chain={chain} />
        {reading === "transcript" ? (
          <Said chain={chain} shown={shown} selection={selection} />
        ) : (
          <Rows shown={shown} bars={reading === "timeline"} selected={selection.run?.runId ?? null} />
        )}
      </div>
      {isChosen && <Panel chain={chain} shown={shown} selection={selection} close={close} />}
    </div>
  );
}

function Readings() {
  const reading = readingNow();
  return (
    <nav class="segments" aria-label={texts.readings.label}>
      {READINGS.map((each) => (
        <a
          key={each}
          href={addressOf({ ...place.value, query: { ...place.value.query, show: each } })}
          aria-current={each === reading ? "true" : undefined}
        >
          {texts.readings[each]}
        </a>
      ))}
    </nav>
  );
}

/** What the API left out, by its own numbers. */
function Cuts({ chain }: { chain: Chain }) {
  const { runs, messages, messageCount, totals, complete } = chain;
  return (
    <>
      {!complete && <p class="cut">{texts.incomplete}</p>}
      {runs.length < totals.runs && (
        <p class="cut">{texts.cutRuns(formatCount(runs.length), formatCount(totals.runs))}</p>
      )}
      {messages.length < messageCount && (
        <p class="cut">{texts.cutMessages(formatCount(messages.length), formatCount(messageCount))}</p>
      )}
    </>
  );
}

/** New messages are told; what is being read stays where it is. */
function useNews({ messageCount, complete }: Chain): void {
  const known = useRef(messageCount);
  useEffect(() => {
    if (!complete) return;
    if (messageCount > known.current) announce(texts.news(formatCount(messageCount - known.current)));
    known.current = messageCount;
  }, [messageCount, complete]);
}

/** Closes the panel; the focus goes back to what it showed, or to the heading. */
function useClose(): () => void {
  const closed = useRef(false);
  useEffect(() => {
    if (!closed.current) return;
    closed.current = false;
    const back = document.querySelector<HTMLElement>('.chain-main [data-last="true"]');
    (back?.checkVisibility() ? back : document.querySelector<HTMLElement>("main h1"))?.focus();
  });
  return () => {
    closed.current = true;
    selectNothing();
  };
}
