/** What only shows when the agents of a file are seen together. */
import type { AgentConfig } from "./agent.ts";
import { type ConfigIssue, issueAt, type Path } from "./issues.ts";
import { fieldOf, itemsOf, textOf } from "./raw.ts";
import { secretNames } from "./secrets.ts";

/** Faults between the parts of a file, found although parts of it are wrong. */
export function teamIssues(file: unknown): ConfigIssue[] {
  return [...duplicateAgents(file), ...unmaskedSecrets(file)];
}

function duplicateAgents(file: unknown): ConfigIssue[] {
  const ids = itemsOf(fieldOf(file, "agents")).map((agent) => textOf(fieldOf(agent, "agentId")));
  return ids.flatMap((id, index) =>
    id !== null && ids.indexOf(id) < index
      ? [issueAt(["agents", index, "agentId"], `Already the agentId of agents[${ids.indexOf(id)}]`)]
      : [],
  );
}

/** A plain variable is not masked in the record (L5), so it must not serve as a secret. */
function unmaskedSecrets(file: unknown): ConfigIssue[] {
  const secrets = secretNames(file);
  return itemsOf(fieldOf(fieldOf(file, "instance"), "plainVars")).flatMap((name, index) =>
    secrets.some((secret) => secret === name)
      ? [
          issueAt(
            ["instance", "plainVars", index],
            "Is used as a secret, so it must be masked; take it off this list",
          ),
        ]
      : [],
  );
}

/** Doubtful things in a sound team. */
export function teamWarnings(agents: readonly AgentConfig[]): ConfigIssue[] {
  return [
    ...agents.flatMap((agent, index) => [
      ...strangers(agent, agents, index),
      ...agentWarnings(agent, ["agents", index]),
    ]),
    ...severalAnalysts(agents),
  ];
}

function strangers(agent: AgentConfig, team: readonly AgentConfig[], position: number): ConfigIssue[] {
  return agent.colleagues.flatMap((id, index) =>
    id === "*" || team.some((other) => other.agentId === id)
      ? []
      : [issueAt(["agents", position, "colleagues", index], "No agent of this file has that agentId")],
  );
}

function severalAnalysts(agents: readonly AgentConfig[]): ConfigIssue[] {
  const tool = "AgentCommAnalysis";
  const having = agents.flatMap((agent, index) => (Object.hasOwn(agent.tools, tool) ? [index] : []));
  return having.length < 2
    ? []
    : having.map((index) =>
        issueAt(
          ["agents", index, "tools", tool],
          "Reads all agents' conversations; give it to one agent only",
        ),
      );
}

/** Doubtful things that one agent's document shows by itself. */
export function agentWarnings(agent: AgentConfig, path: Path): ConfigIssue[] {
  const warnings = agent.toolJobs.flatMap((job, index) =>
    Object.hasOwn(agent.tools, job.toolName)
      ? []
      : [
          issueAt(
            [...path, "toolJobs", index, "toolName"],
            "Not among this agent's tools, so it has no settings",
          ),
        ],
  );
  if (Object.hasOwn(agent.tools, "AskAgent") && agent.colleagues.length === 0) {
    warnings.push(issueAt([...path, "colleagues"], "Nobody, so AskAgent has nobody to ask"));
  }
  return warnings;
}
