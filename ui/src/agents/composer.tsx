/** Writing to the agent. The text stays until the instance has taken it. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Agent } from "../api/types.ts";
import { announce } from "../parts/announce.tsx";
import { useDraft } from "../parts/draft.ts";
import { chatTexts } from "./chat-texts.ts";
import { type ChatRefusal, chat } from "./open-chats.ts";

export function Composer({ agent, ended }: { agent: Agent; ended: () => void }) {
  const draft = useDraft(`chat:${agent.agentId}`);
  const refusal = useSignal<ChatRefusal | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    const message = draft.peek();
    if (message.trim() === "") return field.current?.focus();
    const accepted = () => {
      if (draft.peek() === message) draft.value = "";
      refusal.value = null;
    };
    const end = await chat({ agentId: agent.agentId, message, accepted });
    refusal.value = end.code === "ended" ? null : end;
    if (end.code === "ended" && end.status !== null) announce(ending(agent, end.status));
    ended();
  };
  return (
    <form class="composer" onSubmit={(event) => void submit(event)}>
      {agent.paused && <p class="tone-warn">{chatTexts.paused}</p>}
      {refusal.value !== null && (
        <p class="note problem" role="alert">
          {refusal.value.code === "queue_full"
            ? chatTexts.full(refusal.value.seconds)
            : chatTexts.refusals[refusal.value.code]}
        </p>
      )}
      <label for="chat-message" class="unseen">
        {chatTexts.message}
      </label>
      <textarea
        id="chat-message"
        ref={field}
        rows={2}
        dir="auto"
        value={draft.value}
        placeholder={chatTexts.message}
        aria-describedby="chat-hint"
        onInput={(event) => {
          draft.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <button type="submit" class="primary">
        {chatTexts.send}
      </button>
      <p id="chat-hint" class="quiet">
        {chatTexts.hint} {agent.provider === "scripted" && chatTexts.scripted}
      </p>
    </form>
  );
}

/** As a screen reader says it. */
function ending(agent: Agent, status: string): string {
  const name = agent.name ?? agent.agentId;
  return status === "completed" ? chatTexts.arrived(name) : chatTexts.notArrived(name);
}
