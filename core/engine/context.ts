/** Builds a step's model request from the conversation and the run's own messages. */
import type { ChatMessage, ModelRequest } from "../model/types.ts";
import type { ActiveRun } from "./active-run.ts";
import type { Conversation } from "./conversation.ts";
import { offeredFunctions, systemPrompt } from "./prompt.ts";
import type { Documents, World } from "./world.ts";

/** A rough measure that errs on the safe side for German and code. */
const CHARS_PER_TOKEN = 3.5;
/** Part of the model's context that messages may fill; the rest is for tools and the answer. */
const FILL = 0.75;

export function buildRequest(world: World, run: ActiveRun, documents: Documents): ModelRequest {
  const conversation = contextOf(world, run);
  const system = systemPrompt(documents, run.record, conversation?.summary ?? "");
  const messages: ChatMessage[] = [{ role: "system", content: world.scrubber.scrub(system) }];
  for (const turn of conversation?.turns ?? []) messages.push(...turn.messages);
  if (run.record.lane === "answer") messages.push(...turnInProgress(world));
  messages.push(...run.messages);
  return { messages, tools: offeredFunctions(documents, run.record, world.registry) };
}

/** The conversation that a run sees; an isolated run sees none. */
export function contextOf(world: World, run: ActiveRun): Conversation | null {
  return run.record.lane === "isolated" ? null : world.conversation();
}

/** What the agent is in the middle of: its open turn up to the last complete step. */
function turnInProgress(world: World): readonly ChatMessage[] {
  const main = world.gate.openMain === null ? undefined : world.active.get(world.gate.openMain);
  return main?.record.lane === "conversation" ? main.messages : [];
}

export function contextLimitChars(documents: Documents): number {
  return documents.agent.model.contextTokens * FILL * CHARS_PER_TOKEN;
}

export function contextChars(world: World, run: ActiveRun, documents: Documents): number {
  const conversation = contextOf(world, run);
  return (conversation?.chars ?? 0) + run.chars + documents.agent.systemPrompt.length;
}
