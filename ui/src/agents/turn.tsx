/** One turn: what was said to the agent, what it did, what it answered. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { api, call, type Problem } from "../api/client.ts";
import { formatRecent } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { words } from "../language/words.ts";
import { addressOf } from "../location/place.ts";
import { AgentMark } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { ProblemNote } from "../parts/notes.tsx";
import { RichText } from "../parts/rich-text.tsx";
import { Status } from "../parts/status.tsx";
import { replyBesideSteps, type ShownStep, type ShownTurn } from "./chat-stream.ts";
import { chatTexts } from "./chat-texts.ts";
import { ToolCall } from "./tool-call.tsx";

export function TurnView({ turn, agentId }: { turn: ShownTurn; agentId: string }) {
  const open = turn.state !== "ended";
  const reply = replyBesideSteps(turn);
  return (
    <article class="turn" data-state={turn.state} aria-busy={open}>
      <div class="said" data-trigger={turn.trigger}>
        <RichText text={turn.input} />
        <p class="turn-foot">
          <TurnFacts turn={turn} />
        </p>
      </div>
      <div class="answer">
        <AgentMark agentId={agentId} small />
        <div class="answer-body">
          {turn.steps.map((step) => (
            <StepView key={step.step} step={step} turn={turn} />
          ))}
          {reply !== null && <RichText text={reply} />}
          {open && <Working turn={turn} />}
          {turn.status !== null && turn.status !== "completed" && <Status of="run" value={turn.status} />}
        </div>
      </div>
    </article>
  );
}

function TurnFacts({ turn }: { turn: ShownTurn }) {
  return (
    <>
      {turn.trigger !== "chat" && <strong>{labelOf(words.triggers, turn.trigger)}</strong>}
      {turn.startedAt !== null && (
        <Moment iso={turn.startedAt} format={(iso) => formatRecent(iso, new Date())} />
      )}
      {turn.rootRunId !== "" && (
        <a href={addressOf({ view: "chain", id: turn.rootRunId, query: { run: turn.runId } })}>
          {chatTexts.chain}
        </a>
      )}
    </>
  );
}

/** While its text still comes it is shown as it is: half a Markdown text is none. */
function StepView({ step, turn }: { step: ShownStep; turn: ShownTurn }) {
  const coming = turn.state !== "ended" && step === turn.steps.at(-1) && step.calls.length === 0;
  return (
    <>
      {step.text !== "" &&
        (coming ? (
          <div class="plain-text" dir="auto">
            {step.text}
          </div>
        ) : (
          <RichText text={step.text} />
        ))}
      {step.calls.map((each, position) => (
        <ToolCall key={each.id} call={each} of={{ runId: turn.runId, step: step.step, position }} />
      ))}
    </>
  );
}

function Working({ turn }: { turn: ShownTurn }) {
  const stopping = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  // The button goes with the run; whoever pressed it goes on with writing.
  useLayoutEffect(
    () => () => {
      if (document.activeElement === button.current) document.getElementById("chat-message")?.focus();
    },
    [],
  );
  const stop = async () => {
    stopping.value = true;
    const answer = await call(api.runs[":runId"].cancel.$post({ param: { runId: turn.runId } }));
    stopping.value = answer.ok;
    problem.value = answer.ok ? null : answer.problem;
  };
  const state =
    turn.state === "sending" || turn.state === "queued" ? chatTexts[turn.state] : chatTexts.working;
  return (
    <>
      <p class="working">
        <span class="quiet">{stopping.value ? chatTexts.stopping : state}</span>
        {turn.runId !== "" && (
          <button ref={button} type="button" aria-disabled={stopping.value} onClick={() => void stop()}>
            <Icon name="stop" />
            {chatTexts.stop}
          </button>
        )}
      </p>
      {problem.value !== null && <ProblemNote problem={problem.value} />}
    </>
  );
}
