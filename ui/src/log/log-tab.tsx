/** The log: a module's lines of a day, or all, newest first, and live while somebody wants that. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, authorizedFetch, call } from "../api/client.ts";
import { team } from "../api/team.ts";
import type { LogLine } from "../api/types.ts";
import { dayKey, formatDay, formatExact } from "../language/format.ts";
import { labelOf, language } from "../language/language.ts";
import { addressOf, changeQuery, place } from "../location/place.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { EmptyNote, LoadingNote } from "../parts/notes.tsx";
import { saveAs } from "../parts/save-as.ts";
import { LEVELS, type LogFilters, logFilters, modulesOf } from "./filters.ts";
import { Chip, Field, Older, Select } from "./parts.tsx";
import { mergeLines, TAIL_LINES, tailFrom } from "./tail.ts";
import { texts } from "./texts.ts";
import { type PagesLoad, usePages } from "./use-pages.ts";

export function LogTab() {
  const filters = logFilters(place.value.query);
  const load = usePages<LogLine>(
    (before, signal) =>
      call(
        api.logs.$get(
          { query: { ...filters, ...(before === null ? {} : { before }) } },
          { init: { signal } },
        ),
      ),
    Object.values(filters),
  );
  const { items, loading } = load.pages.value;
  const over = filters.day !== "" && filters.day !== today();
  const tailing = place.value.query.tail === "on" && !over;
  useTail(load, filters, tailing);
  return (
    <>
      <Filters filters={filters} tailing={tailing} over={over} />
      {items === null && loading && <LoadingNote />}
      {items !== null && items.length > 0 && <Lines lines={items} />}
      {items?.length === 0 && load.pages.value.older === null && <Nothing filters={filters} />}
      <Older load={load} label={texts.older} />
    </>
  );
}

/** In UTC, as the instance counts days. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function Filters({ filters, tailing, over }: { filters: LogFilters; tailing: boolean; over: boolean }) {
  const modules = modulesOf(team.value).map((name) => [name, name] as const);
  return (
    <search class="log-filters">
      <Select
        label={texts.module}
        name="module"
        value={filters.module}
        options={[["", texts.allModules], ...modules]}
      />
      <Select
        label={texts.level}
        name="level"
        value={filters.level}
        options={LEVELS.map((each) => [each, texts.levels[each]])}
      />
      <Field label={texts.day} name="day" value={filters.day} type="date" />
      <Field label={texts.text} name="q" value={filters.q} type="search" />
      <label class="log-tail" title={over ? texts.tailOver : texts.tailHint}>
        <input
          type="checkbox"
          role="switch"
          checked={tailing}
          aria-checked={tailing}
          disabled={over}
          onChange={(event) => changeQuery({ tail: event.currentTarget.checked ? "on" : null }, "replace")}
        />
        {texts.tail}
      </label>
      <Download filters={filters} />
      <Chip name="run" label={texts.run} value={filters.runId} />
      <Chip name="agent" label={texts.agent} value={filters.agentId} />
      <p class="log-hint">
        {tailing ? texts.tailHint : over ? texts.tailOver : ""} {texts.kept}
      </p>
    </search>
  );
}

/** What is shown as a file: the module's whole day. */
function Download({ filters }: { filters: LogFilters }) {
  const state = useSignal<"idle" | "busy" | "failed">("idle");
  const file = `${filters.module || "Parley"}.log`;
  const save = async () => {
    if (state.value === "busy") return;
    state.value = "busy";
    const query = new URLSearchParams({ day: filters.day || today(), module: filters.module });
    state.value = await authorizedFetch(`/api/logs?${query}`, { headers: { Accept: "text/plain" } })
      .then(async (response) => {
        if (!response.ok) return "failed" as const;
        saveAs(file, await response.blob());
        return "idle" as const;
      })
      .catch(() => "failed" as const);
  };
  return (
    <span class="log-download">
      <button type="button" aria-disabled={state.value === "busy"} onClick={() => void save()}>
        <Icon name="save" />
        {texts.download(file)}
      </button>
      {state.value === "busy" && <progress aria-label={texts.downloading} />}
      {state.value === "failed" && <span role="alert">{texts.downloadFailed}</span>}
    </span>
  );
}

const LOOK_MS = 3_000;

/** Asks for new lines again and again, but only while somebody wants that and the page can be seen. */
function useTail({ pages, reload }: PagesLoad<LogLine>, filters: LogFilters, wanted: boolean): void {
  const key = JSON.stringify(filters);
  useEffect(() => {
    if (!wanted) return;
    const stopped = new AbortController();
    const { signal } = stopped;
    let timer: ReturnType<typeof setTimeout>;
    let gathered = 0;
    const look = async () => {
      const { items } = pages.peek();
      if (document.visibilityState === "visible" && items !== null) {
        const query = { ...filters, since: tailFrom(items, Date.now()), limit: 500 };
        const answer = await call(api.logs.$get({ query }, { init: { signal } }));
        if (signal.aborted) return;
        const now = pages.peek();
        if (answer.ok && now.items !== null) {
          const items = mergeLines(now.items, answer.data);
          gathered += items.length - now.items.length;
          pages.value = { ...now, items };
        }
        if (gathered > TAIL_LINES) {
          gathered = 0;
          reload();
        }
      }
      timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [wanted, key, pages]);
}

function Nothing({ filters }: { filters: LogFilters }) {
  const isFiltered = Object.values(filters).some((value) => value !== "");
  return (
    <EmptyNote>
      {isFiltered ? texts.noMatch : texts.noLines}{" "}
      {isFiltered && <a href={addressOf({ view: "log" })}>{texts.clear}</a>}
    </EmptyNote>
  );
}

const seconds = new Intl.DateTimeFormat(language === "de" ? "de-DE" : "en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

function Lines({ lines }: { lines: readonly LogLine[] }) {
  const now = new Date();
  let day = "";
  return (
    <ol class="log-lines" aria-label={texts.lines}>
      {lines.map((line) => {
        const begins = dayKey(line.occurredAt) !== day;
        day = dayKey(line.occurredAt);
        return (
          <li key={line.id} data-level={line.level}>
            {begins && <h2>{formatDay(line.occurredAt, now)}</h2>}
            <div class="log-line">
              <time dateTime={line.occurredAt} title={formatExact(line.occurredAt)}>
                {seconds.format(new Date(line.occurredAt))}
              </time>
              <span class="log-level">{labelOf(texts.level1, line.level)}</span>
              <code class="log-module">{line.module}</code>
              <span class="log-text" dir="auto">
                {line.text}
              </span>
              <Whose line={line} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function Whose({ line: { agentId, runId } }: { line: LogLine }) {
  return (
    <span class="log-whose">
      {agentId !== null && <AgentName agentId={agentId} />}
      {runId !== null && (
        <a
          href={addressOf({ view: "chain", id: runId })}
          title={runId}
          aria-label={`${texts.chain} ${runId}`}
        >
          <Icon name="chain" />
        </a>
      )}
    </span>
  );
}
