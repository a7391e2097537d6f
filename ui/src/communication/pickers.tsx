/** Which two agents: A, whose words stand on the right, and B, or all. */
import { nameOf, team } from "../api/team.ts";
import { changeQuery } from "../location/place.ts";
import { hueClass } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import type { Filters } from "./filters.ts";
import type { Pair } from "./pairs.ts";
import { texts } from "./texts.ts";

export function Pickers({ filters: { a, b }, pairs }: { filters: Filters; pairs: readonly Pair[] }) {
  const agents = agentsOf(pairs, [a, b]);
  const leave = { m: "", find: "" };
  return (
    <div class="pickers">
      <select
        class={a === "" ? "" : hueClass(a)}
        aria-label={texts.agentA}
        value={a}
        onChange={(event) => changeQuery({ a: event.currentTarget.value, ...leave })}
      >
        {a === "" && <option value="">{texts.choose}</option>}
        {agents.filter((id) => id !== b).map(option)}
      </select>
      <button
        type="button"
        class="bare"
        disabled={a === "" || b === ""}
        title={texts.swap}
        aria-label={texts.swap}
        onClick={() => changeQuery({ a: b, b: a })}
      >
        <Icon name="swap" />
      </button>
      <select
        class={b === "" ? "" : hueClass(b)}
        aria-label={texts.agentB}
        value={b}
        onChange={(event) => changeQuery({ b: event.currentTarget.value, ...leave })}
      >
        <option value="">{texts.all}</option>
        {agents.filter((id) => id !== a).map(option)}
      </select>
      {a !== "" && b !== "" && <span class="seen-as quiet">{texts.seenAs(nameOf(a))}</span>}
    </div>
  );
}

const option = (agentId: string) => (
  <option key={agentId} value={agentId}>
    {nameOf(agentId)}
  </option>
);

/** Those who work here and those who only the record knows, by name. */
function agentsOf(pairs: readonly Pair[], chosen: readonly string[]): string[] {
  const ids = [
    ...team.value.map(({ agentId }) => agentId),
    ...pairs.flatMap(({ agentA, agentB }) => [agentA, agentB]),
    ...chosen,
  ];
  return [...new Set(ids)]
    .filter((id) => id !== "")
    .sort((left, right) => nameOf(left).localeCompare(nameOf(right)));
}
