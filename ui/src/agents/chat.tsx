/** The agent's conversation: on record, and as it happens. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { api, call, type Problem } from "../api/client.ts";
import { onLive } from "../api/live.ts";
import type { Agent } from "../api/types.ts";
import { useLoad } from "../api/use-load.ts";
import { EmptyNote, LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { joinTurns, type ShownTurn, turnOfRecord } from "./chat-stream.ts";
import { chatTexts } from "./chat-texts.ts";
import { Composer } from "./composer.tsx";
import { ConfirmButton } from "./confirm.tsx";
import { openTurns } from "./open-chats.ts";
import { TurnView } from "./turn.tsx";
import "./chat.css";

/** While a run that this page does not stream is under way, its steps are looked up this often. */
const LOOK_MS = 2_000;

export function Chat({ agent }: { agent: Agent }) {
  const { agentId } = agent;
  const own = openTurns(agentId);
  const { loaded, reload } = useConversation(agentId);
  const recorded = useComputed(() => loaded.value.data?.turns.map(turnOfRecord) ?? []);
  const turns = useComputed(() => joinTurns(recorded.value, own.value)).value;
  const log = useFollow(turns);
  useLooking(turns, own.value, reload);
  const { data, problem } = loaded.value;
  return (
    <div class="chat">
      <NewConversation agentId={agentId} begun={reload} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section ref={log} class="chat-log" tabIndex={0} aria-label={chatTexts.conversation}>
        {problem !== null && <ProblemNote problem={problem} retry={reload} />}
        {data === null && problem === null && <LoadingNote />}
        {data !== null && turns.length === 0 && <EmptyNote>{chatTexts.empty}</EmptyNote>}
        <ol>
          {turns.map((turn, index) => (
            <li key={turn.runId === "" ? `new ${index}` : turn.runId}>
              <TurnView turn={turn} agentId={agentId} />
            </li>
          ))}
        </ol>
      </section>
      <Composer agent={agent} ended={reload} />
    </div>
  );
}

function useConversation(agentId: string) {
  const load = useLoad(
    (signal) => call(api.agents[":agentId"].conversation.$get({ param: { agentId } }, { init: { signal } })),
    [agentId],
  );
  const { reload } = load;
  useEffect(
    () =>
      onLive(({ type, data }) => {
        const of = typeof data === "object" && data !== null ? Reflect.get(data, "agentId") : null;
        if (type === "run" && of === agentId) reload();
      }),
    [agentId, reload],
  );
  return load;
}

/** Keeps looking at what the page does not stream itself: a run begun elsewhere, or before the page was loaded. */
function useLooking(turns: readonly ShownTurn[], own: readonly ShownTurn[], reload: () => void): void {
  const looking = turns.some((turn) => turn.state !== "ended" && !own.includes(turn));
  useEffect(() => {
    if (!looking) return;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [looking, reload]);
}

/** Whoever is at the end stays there; whoever reads above is left alone. */
function useFollow(turns: readonly ShownTurn[]) {
  const log = useRef<HTMLElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const element = log.current;
    const look = () => {
      if (element !== null)
        atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
    };
    element?.addEventListener("scroll", look, { passive: true });
    return () => element?.removeEventListener("scroll", look);
  }, []);
  useLayoutEffect(() => {
    if (atEnd.current) log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [turns]);
  return log;
}

function NewConversation({ agentId, begun }: { agentId: string; begun: () => void }) {
  const problem = useSignal<Problem | null>(null);
  const begin = async () => {
    const answer = await call(api.agents[":agentId"].conversation.$delete({ param: { agentId } }));
    problem.value = answer.ok ? null : answer.problem;
    const own = openTurns(agentId);
    if (answer.ok) own.value = own.peek().filter(({ state }) => state !== "ended");
    begun();
  };
  return (
    <div class="chat-tools">
      <ConfirmButton
        label={chatTexts.begin}
        question={chatTexts.beginQuestion}
        yes={chatTexts.begin}
        act={() => void begin()}
      />
      {problem.value !== null && <ProblemNote problem={problem.value} />}
    </div>
  );
}
