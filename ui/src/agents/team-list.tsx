/** Everybody who works here, with what they are doing right now. */
import { useSignal } from "@preact/signals";
import { api, call, type Problem } from "../api/client.ts";
import { team } from "../api/team.ts";
import type { Agent } from "../api/types.ts";
import { addressOf } from "../location/place.ts";
import { AgentMark, hueClass } from "../parts/agent-mark.tsx";
import { announce } from "../parts/announce.tsx";
import { Icon } from "../parts/icon.tsx";
import { EmptyNote, LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { AgentFacts, AgentState, PauseButton } from "./agent-state.tsx";
import { Approvals } from "./approvals.tsx";
import { Notices } from "./notices.tsx";
import { texts } from "./texts.ts";
import { useArrival } from "./use-arrival.ts";
import { useTeam } from "./use-team.ts";

export function TeamList() {
  const { loaded, reload } = useTeam();
  const heading = useArrival();
  const agents = team.value;
  const { problem, data } = loaded.value;
  return (
    <div class="agents">
      <header class="agents-head">
        <h1 ref={heading} tabIndex={-1}>
          {texts.title}
        </h1>
        <PauseAll changed={reload} />
        <a class="button" href={addressOf({ view: "agents", query: { new: "1" } })}>
          <Icon name="plus" />
          {texts.newAgent}
        </a>
      </header>
      <Approvals />
      {problem !== null && <ProblemNote problem={problem} retry={reload} />}
      {agents.length === 0 &&
        problem === null &&
        (data === null ? <LoadingNote /> : <EmptyNote>{texts.none}</EmptyNote>)}
      <ul class="team">
        {agents.map((agent) => (
          <li key={agent.agentId}>
            <AgentCard agent={agent} changed={reload} />
          </li>
        ))}
      </ul>
      <Notices />
    </div>
  );
}

function AgentCard({ agent, changed }: { agent: Agent; changed: () => void }) {
  const { agentId, name, description, tools } = agent;
  return (
    <article class={`agent-card ${hueClass(agentId)}`} data-agent={agentId}>
      <AgentMark agentId={agentId} />
      <div class="agent-who">
        <h2>
          <a href={addressOf({ view: "agents", id: agentId })} dir="auto">
            {name}
          </a>
        </h2>
        <p class="quiet agent-id">{agentId}</p>
      </div>
      <AgentState agent={agent} />
      <p class="agent-about" dir="auto">
        {description}
      </p>
      <AgentFacts agent={agent} />
      <p class="agent-tools quiet">{tools.length === 0 ? texts.noTools : tools.join(", ")}</p>
      <PauseButton agent={agent} changed={changed} />
    </article>
  );
}

function PauseAll({ changed }: { changed: () => void }) {
  const problem = useSignal<Problem | null>(null);
  const change = async (paused: boolean) => {
    const answer = await call(paused ? api.pause.$post() : api.resume.$post());
    problem.value = answer.ok ? null : answer.problem;
    if (answer.ok) announce(paused ? texts.pausedAll : texts.resumedAll);
    changed();
  };
  return (
    <>
      <button type="button" onClick={() => void change(true)}>
        <Icon name="pause" />
        {texts.pauseAll}
      </button>
      <button type="button" onClick={() => void change(false)}>
        <Icon name="play" />
        {texts.resumeAll}
      </button>
      {problem.value !== null && <ProblemNote problem={problem.value} />}
    </>
  );
}
