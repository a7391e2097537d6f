/** Whom work may be given to: people, agents, and fresh workers of them. */

import { useId } from "preact/hooks";
import { FRESH, HUMAN } from "../api/assignees.ts";
import { team } from "../api/team.ts";
import { words } from "../language/words.ts";

import { texts } from "./texts.ts";

interface AssigneeSelectProps {
  readonly label: string;
  readonly value: string;
  /** Stands for nobody in particular; missing: somebody must be chosen. */
  readonly none?: string;
  choose(assignee: string): void;
}

export function AssigneeSelect({ label, value, none, choose }: AssigneeSelectProps) {
  const id = useId();
  const agents = team.value;
  const known = [HUMAN, ...agents.flatMap(({ agentId }) => [agentId, FRESH + agentId])];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        required={none === undefined}
        value={value}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="">{none ?? ""}</option>
        {value !== "" && !known.includes(value) && <option value={value}>{value}</option>}
        <option value={HUMAN}>{words.people}</option>
        <optgroup label={texts.agents}>
          {agents.map(({ agentId, name }) => (
            <option key={agentId} value={agentId}>
              {name ?? agentId}
            </option>
          ))}
        </optgroup>
        <optgroup label={texts.freshWorkers}>
          {agents.map(({ agentId, name }) => (
            <option key={agentId} value={FRESH + agentId}>
              {texts.fresh(name ?? agentId)}
            </option>
          ))}
        </optgroup>
      </select>
    </div>
  );
}
