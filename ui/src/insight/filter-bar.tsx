/** Which period, whose, and which channel: each choice stands in the address. */
import { nameOf, team } from "../api/team.ts";
import type { Stats } from "../api/types.ts";
import { words } from "../language/words.ts";
import { addressOf, changeQuery, place } from "../location/place.ts";
import { CHANNELS, type InsightFilters, SPANS, spanInAddress } from "./filters.ts";
import { texts } from "./texts.ts";

interface FilterBarProps {
  readonly filters: InsightFilters;
  /** For agents that only the record knows. */
  readonly stats: Stats | null;
}

export function FilterBar({ filters, stats }: FilterBarProps) {
  const { a, b, channel, since, until } = filters;
  const agents = agentsOf(stats, [a, b]);
  const isNarrow = a !== "" || channel !== "";
  return (
    <search class="insight-filters">
      <Spans filters={filters} />
      <DayField name="since" label={texts.since} value={since} />
      <DayField name="until" label={texts.until} value={until} />
      <Choice
        name="a"
        label={texts.agentA}
        value={a}
        options={agents.filter((id) => id !== b)}
        labelOf={nameOf}
      />
      {a !== "" && (
        <Choice
          name="b"
          label={texts.agentB}
          value={b}
          options={agents.filter((id) => id !== a)}
          labelOf={nameOf}
        />
      )}
      <Choice
        name="channel"
        label={texts.channel}
        value={channel}
        options={CHANNELS}
        labelOf={(each) => words.channels[each]}
      />
      {isNarrow && (
        <a
          class="insight-clear"
          href={addressOf({ view: "insight", query: { ...place.value.query, a: "", b: "", channel: "" } })}
          onClick={() => document.querySelector<HTMLElement>("main h1")?.focus()}
        >
          {texts.clear}
        </a>
      )}
      <p class="insight-hint">
        {texts.utc} {channel !== "" && texts.ofMessages}
      </p>
    </search>
  );
}

function Spans({ filters: { span } }: { filters: InsightFilters }) {
  return (
    <nav class="insight-tabs" aria-label={texts.period}>
      {SPANS.map((each) => (
        <a
          key={each}
          href={addressOf({
            view: "insight",
            query: { ...place.value.query, days: spanInAddress(each), since: "", until: "" },
          })}
          aria-current={each === span ? "true" : undefined}
        >
          {texts.spans[each]}
        </a>
      ))}
    </nav>
  );
}

function DayField({ name, label, value }: { name: "since" | "until"; label: string; value: string }) {
  return (
    <label>
      {label}
      <input
        type="date"
        name={name}
        value={value}
        onChange={(event) => changeQuery({ [name]: event.currentTarget.value, days: "" })}
      />
    </label>
  );
}

interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly Value[];
  readonly labelOf: (value: Value) => string;
}

function Choice<Value extends string>({ name, label, value, options, labelOf }: ChoiceProps<Value>) {
  // Without the first agent there is no second one.
  const change = (chosen: string) =>
    changeQuery(name === "a" && chosen === "" ? { a: "", b: "" } : { [name]: chosen });
  return (
    <label>
      {label}
      <select name={name} value={value} onChange={(event) => change(event.currentTarget.value)}>
        <option value="">{texts.everybody}</option>
        {options.map((each) => (
          <option key={each} value={each} selected={each === value}>
            {labelOf(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

function agentsOf(stats: Stats | null, chosen: readonly string[]): string[] {
  const ids = [
    ...team.value.map(({ agentId }) => agentId),
    ...(stats === null ? [] : [...stats.agents, ...stats.byAgent].map(({ agentId }) => agentId)),
    ...chosen,
  ];
  return [...new Set(ids)]
    .filter((id) => id !== "")
    .sort((left, right) => nameOf(left).localeCompare(nameOf(right)));
}
