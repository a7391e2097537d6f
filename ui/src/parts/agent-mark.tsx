/** Agents are recognised by colour and initials, the same everywhere. */
import { HUMAN } from "../api/assignees.ts";
import { nameOf } from "../api/team.ts";

const HUES = 12;

/** The class that gives an element its agent's colour as `--hue`. */
export function hueClass(agentId: string): string {
  if (agentId === HUMAN) return "hue-person";
  let hash = 0;
  for (const letter of agentId) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return `hue-${hash % HUES}`;
}

/** One or two letters: of the first two words of the name, else its first two letters. */
export function initialsOf(name: string): string {
  const parts = name.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== "");
  const [first = "", second] = parts;
  const letters = second === undefined ? [...first].slice(0, 2) : [[...first][0], [...second][0]];
  return letters.join("").toLocaleUpperCase() || "?";
}

export function AgentMark({ agentId, small = false }: { agentId: string; small?: boolean }) {
  return (
    <span class={`mark ${hueClass(agentId)} ${small ? "mark-small" : ""}`} aria-hidden="true">
      {initialsOf(nameOf(agentId))}
    </span>
  );
}

/** Mark and name; the id shows on hover. */
export function AgentName({ agentId }: { agentId: string }) {
  return (
    <span class="agent-name" title={agentId}>
      <AgentMark agentId={agentId} small />
      <bdi>{nameOf(agentId)}</bdi>
    </span>
  );
}
