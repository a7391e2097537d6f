/** Filters as fields behind a button, and as chips that take them away again. */
import { useRef } from "preact/hooks";
import { formatMoment } from "../language/format.ts";
import { words } from "../language/words.ts";
import { changeQuery } from "../location/place.ts";
import { Icon } from "../parts/icon.tsx";
import { CHANNELS, type Filters, instantOf, STATUSES } from "./filters.ts";
import { FoldOut } from "./fold-out.tsx";
import { texts } from "./texts.ts";
import { useLater } from "./use-later.ts";

const TYPING_MS = 400;
type Name = "channel" | "status" | "since" | "until" | "q";

/** What is looked at changes: the message that was being read may be filtered out. */
const change = (name: Name, value: string) => changeQuery({ [name]: value, m: "" }, "replace");

export function FilterFields({ filters }: { filters: Filters }) {
  const later = useLater(TYPING_MS);
  return (
    <FoldOut icon="filter" label={texts.filter} name="filters">
      <Choice name="channel" label={texts.channel} value={filters.channel} options={channelOptions} />
      <Choice name="status" label={texts.status} value={filters.status} options={statusOptions} />
      <DayField name="since" label={texts.since} value={filters.since} />
      <DayField name="until" label={texts.until} value={filters.until} />
      <label>
        {texts.words}
        <input
          type="search"
          value={filters.q}
          onInput={(event) => {
            const { value } = event.currentTarget;
            later(() => change("q", value));
          }}
        />
      </label>
    </FoldOut>
  );
}

const channelOptions = CHANNELS.map((value) => [value, words.channels[value]] as const);
const statusOptions = STATUSES.map((value) => [value, words.messageStatuses[value]] as const);

interface ChoiceProps {
  readonly name: Name;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
}

function Choice({ name, label, value, options }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => change(name, event.currentTarget.value)}>
        <option value="">{texts.any}</option>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function DayField({ name, label, value }: { name: Name; label: string; value: string }) {
  return (
    <label>
      {label}
      <input type="date" value={dayOf(value)} onChange={(event) => change(name, event.currentTarget.value)} />
    </label>
  );
}

/** Links from elsewhere may hold instants. */
function dayOf(value: string): string {
  return value === "" || !Number.isNaN(Date.parse(`${value}T00:00`)) ? value : value.slice(0, 10);
}

export function FilterChips({ filters }: { filters: Filters }) {
  const list = useRef<HTMLUListElement>(null);
  const chips = chipsOf(filters);
  if (chips.length === 0) return null;
  const remove = (names: readonly Name[], index: number) => {
    changeQuery({ ...Object.fromEntries(names.map((name) => [name, ""])), m: "" });
    // The chip goes away: the focus goes on to its neighbour, or to where filters are set.
    requestAnimationFrame(() => {
      const left = list.current?.isConnected ? list.current.querySelectorAll("button") : [];
      const next = left[Math.min(index, left.length - 1)];
      (next ?? document.querySelector<HTMLElement>('[data-fold-out="filters"] summary'))?.focus();
    });
  };
  return (
    <ul class="chips" ref={list}>
      {chips.map(({ name, label }, index) => (
        <li key={name}>
          <button type="button" aria-label={texts.removeFilter(label)} onClick={() => remove([name], index)}>
            <bdi>{label}</bdi>
            <Icon name="cross" />
          </button>
        </li>
      ))}
      {chips.length > 1 && (
        <li>
          <button
            type="button"
            class="bare"
            onClick={() =>
              remove(
                chips.map(({ name }) => name),
                0,
              )
            }
          >
            {texts.clearFilters}
          </button>
        </li>
      )}
    </ul>
  );
}

function chipsOf({ channel, status, since, until, q }: Filters): { name: Name; label: string }[] {
  const all: { name: Name; label: string }[] = [
    { name: "channel", label: channel === "" ? "" : words.channels[channel] },
    { name: "status", label: status === "" ? "" : words.messageStatuses[status] },
    { name: "since", label: since === "" ? "" : texts.filterSince(periodText(since)) },
    { name: "until", label: until === "" ? "" : texts.filterUntil(periodText(until)) },
    { name: "q", label: q === "" ? "" : `"${q}"` },
  ];
  return all.filter(({ label }) => label !== "");
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function periodText(value: string): string {
  const moment = formatMoment(instantOf(value));
  // Of a day its time of midnight says nothing.
  return DAY.test(value) ? moment.replace(/,? (?:um )?\d\d:\d\d$/, "") : moment;
}
