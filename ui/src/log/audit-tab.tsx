/** The audit: each tool call with its outcome, searchable, with the way to the chain it belongs to. */
import { api, call } from "../api/client.ts";
import { team } from "../api/team.ts";
import type { AuditEntry } from "../api/types.ts";
import { dayKey, formatDay, formatDuration, formatExact } from "../language/format.ts";
import { language } from "../language/language.ts";
import { words } from "../language/words.ts";
import { addressOf, place } from "../location/place.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { EmptyNote, LoadingNote } from "../parts/notes.tsx";
import { readable } from "../parts/readable.ts";
import { Status } from "../parts/status.tsx";
import { type AuditFilters, auditFilters, OUTCOMES } from "./filters.ts";
import { AgentSelect, Field, Older, Select } from "./parts.tsx";
import { texts } from "./texts.ts";
import { usePages } from "./use-pages.ts";

export function AuditTab() {
  const filters = auditFilters(place.value.query);
  const load = usePages<AuditEntry>(
    (before, signal) =>
      call(
        api.audit.$get(
          { query: { ...filters, ...(before === null ? {} : { before }) } },
          { init: { signal } },
        ),
      ),
    Object.values(filters),
  );
  const { items, loading, older } = load.pages.value;
  return (
    <>
      <Filters filters={filters} entries={items ?? []} />
      {items === null && loading && <LoadingNote />}
      {items !== null && items.length > 0 && <Entries entries={items} />}
      {items?.length === 0 && older === null && <Nothing filters={filters} />}
      <Older load={load} label={texts.olderEntries} />
    </>
  );
}

const BUILT_IN = [
  "ask_agent",
  ...["create", "list", "get", "comment", "complete", "block", "review", "cancel"].map(
    (verb) => `task_${verb}`,
  ),
];

function Filters({ filters, entries }: { filters: AuditFilters; entries: readonly AuditEntry[] }) {
  const given = team.value
    .flatMap(({ tools }) => tools)
    .filter((name) => name !== "AskAgent" && name !== "Taskboard");
  const tools = [...new Set([...given, ...BUILT_IN, ...entries.map(({ tool }) => tool)])].sort();
  return (
    <search class="log-filters">
      <AgentSelect value={filters.agentId} />
      <Select
        label={texts.tool}
        name="tool"
        value={filters.tool}
        options={[["", texts.allModules], ...tools.map((name) => [name, name] as const)]}
      />
      <Select
        label={texts.outcome}
        name="outcome"
        value={filters.outcome}
        options={[["", texts.allOutcomes], ...OUTCOMES.map((each) => [each, words.outcomes[each]] as const)]}
      />
      <Field label={texts.since} name="since" value={filters.since} type="date" />
      <Field label={texts.until} name="until" value={filters.until} type="date" />
      <Field label={texts.searched} name="q" value={filters.q} type="search" />
    </search>
  );
}

function Nothing({ filters }: { filters: AuditFilters }) {
  const isFiltered = Object.values(filters).some((value) => value !== "");
  return (
    <EmptyNote>
      {isFiltered ? texts.noEntryMatch : texts.noEntries}{" "}
      {isFiltered && <a href={addressOf({ view: "log", query: { tab: "audit" } })}>{texts.clear}</a>}
    </EmptyNote>
  );
}

const seconds = new Intl.DateTimeFormat(language === "de" ? "de-DE" : "en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

function Entries({ entries }: { entries: readonly AuditEntry[] }) {
  const now = new Date();
  let day = "";
  return (
    <ol class="log-lines audit" aria-label={texts.entries}>
      {entries.map((entry) => {
        const begins = dayKey(entry.occurredAt) !== day;
        day = dayKey(entry.occurredAt);
        return (
          <li key={entry.id ?? entry.uid} data-outcome={entry.outcome}>
            {begins && <h2>{formatDay(entry.occurredAt, now)}</h2>}
            <Entry entry={entry} />
          </li>
        );
      })}
    </ol>
  );
}

const SUMMARY_CHARS = 200;

function Entry({ entry }: { entry: AuditEntry }) {
  const { agentId, tool, outcome, error, durationMs, occurredAt, rootRunId, runId } = entry;
  return (
    <div class="log-line">
      <time dateTime={occurredAt} title={formatExact(occurredAt)}>
        {seconds.format(new Date(occurredAt))}
      </time>
      <AgentName agentId={agentId} />
      <code class="log-module">{tool}</code>
      <Status of="outcome" value={outcome} />
      <span class="number">{durationMs === null ? "" : formatDuration(durationMs)}</span>
      <details class="log-arguments">
        <summary>
          <span class="unseen">{texts.arguments} </span>
          {entry.arguments.slice(0, SUMMARY_CHARS)}
        </summary>
        <pre dir="auto">{readable(entry.arguments)}</pre>
      </details>
      <a class="log-chain" href={addressOf({ view: "chain", id: rootRunId, query: { run: runId } })}>
        <Icon name="chain" /> {words.chain}
      </a>
      {error !== null && (
        <p class="log-error" dir="auto">
          {error}
        </p>
      )}
    </div>
  );
}
