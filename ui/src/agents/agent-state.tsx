/** What an agent is doing, and what waits for it. */
import { useSignal } from "@preact/signals";
import { api, call, type Problem } from "../api/client.ts";
import type { Agent } from "../api/types.ts";
import { labelOf } from "../language/language.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { ProblemNote } from "../parts/notes.tsx";
import { texts } from "./texts.ts";

const ICONS: Readonly<Record<string, IconName>> = {
  idle: "check",
  running: "play",
  suspended: "clock",
  paused: "pause",
};

export function AgentState({ agent }: { agent: Agent }) {
  const state = agent.paused ? "paused" : agent.state;
  return (
    <span class="agent-state" data-state={state} title={labelOf(texts.stateHints, state)}>
      <Icon name={ICONS[state] ?? "more"} />
      {labelOf(texts.states, state)}
    </span>
  );
}

/** Queue, rows that wait for D1, and the model, labelled when it is none. */
export function AgentFacts({ agent }: { agent: Agent }) {
  const { queued, unsent, model, provider } = agent;
  return (
    <ul class="agent-facts">
      {queued > 0 && <li class="tone-warn">{texts.queued(queued)}</li>}
      {unsent > 0 && <li class="tone-bad">{texts.unsent(unsent)}</li>}
      {provider === "scripted" ? (
        <li class="scripted" title={texts.scriptedHint}>
          {texts.scripted}
        </li>
      ) : (
        <li>{model}</li>
      )}
    </ul>
  );
}

/** One button for both, so that the focus stays where it is. */
export function PauseButton({ agent, changed }: { agent: Agent; changed: () => void }) {
  const problem = useSignal<Problem | null>(null);
  const change = async () => {
    const param = { param: { agentId: agent.agentId } };
    const route = api.agents[":agentId"];
    const answer = await call(agent.paused ? route.resume.$post(param) : route.pause.$post(param));
    problem.value = answer.ok ? null : answer.problem;
    changed();
  };
  return (
    <>
      <button type="button" onClick={() => void change()}>
        <Icon name={agent.paused ? "play" : "pause"} />
        {agent.paused ? texts.resume : texts.pause}
        <span class="unseen"> {agent.name}</span>
      </button>
      {problem.value !== null && <ProblemNote problem={problem.value} />}
    </>
  );
}
