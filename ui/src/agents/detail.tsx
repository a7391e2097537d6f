/** One agent: what it is doing, and its parts. */
import { team } from "../api/team.ts";
import type { Agent } from "../api/types.ts";
import { addressOf, place } from "../location/place.ts";
import { AgentMark, hueClass } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { EmptyNote, LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { AgentFacts, AgentState, PauseButton } from "./agent-state.tsx";
import { Chat } from "./chat.tsx";
import { Config } from "./config.tsx";
import { Jobs } from "./jobs.tsx";
import { texts } from "./texts.ts";
import { useArrival } from "./use-arrival.ts";
import { useTeam } from "./use-team.ts";

const TABS = ["chat", "config", "jobs"] as const;
type Tab = (typeof TABS)[number];

export function Detail({ agentId }: { agentId: string }) {
  const { loaded, reload } = useTeam();
  const agent = team.value.find((each) => each.agentId === agentId);
  const tab = TABS.find((each) => each === place.value.query.tab) ?? "chat";
  const { problem, data } = loaded.value;
  return (
    <div class={`agent-page ${hueClass(agentId)}`}>
      <a class="back" href="/agents">
        <Icon name="back" />
        {texts.back}
      </a>
      <Head agentId={agentId} agent={agent} changed={reload} />
      {problem !== null && <ProblemNote problem={problem} retry={reload} />}
      {agent === undefined &&
        problem === null &&
        (data === null ? <LoadingNote /> : <EmptyNote>{texts.gone}</EmptyNote>)}
      {agent !== undefined && <Part agent={agent} tab={tab} changed={reload} />}
    </div>
  );
}

interface HeadProps {
  readonly agentId: string;
  readonly agent: Agent | undefined;
  changed(): void;
}

function Head({ agentId, agent, changed }: HeadProps) {
  const heading = useArrival();
  return (
    <header class="agent-head">
      <AgentMark agentId={agentId} />
      <div class="agent-who">
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {agent?.name ?? agentId}
        </h1>
        <p class="quiet agent-id">{agentId}</p>
      </div>
      {agent !== undefined && (
        <>
          <AgentState agent={agent} />
          <AgentFacts agent={agent} />
          <PauseButton agent={agent} changed={changed} />
        </>
      )}
    </header>
  );
}

function Part({ agent, tab, changed }: { agent: Agent; tab: Tab; changed: () => void }) {
  const { agentId } = agent;
  return (
    <>
      <nav class="tabs" aria-label={texts.parts}>
        {TABS.map((each) => (
          <a
            key={each}
            href={addressOf({ view: "agents", id: agentId, query: { tab: each === "chat" ? null : each } })}
            aria-current={each === tab ? "page" : undefined}
          >
            {texts.tabs[each]}
          </a>
        ))}
      </nav>
      {tab === "chat" && <Chat agent={agent} />}
      {tab === "config" && <Config agentId={agentId} changed={changed} />}
      {tab === "jobs" && <Jobs agentId={agentId} />}
    </>
  );
}
