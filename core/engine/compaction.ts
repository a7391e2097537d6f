/**
 * Keeps a context within the model's limit: older turns are condensed to a summary, then old tool results
 * of the run itself are shortened. Whole turns are condensed, so calls and results stay in pairs.
 */
import { insertSummary } from "../journal/summaries.ts";
import type { ChatMessage, ModelFailure } from "../model/types.ts";
import { type ActiveRun, addCost } from "./active-run.ts";
import { capText } from "./caps.ts";
import { contextChars, contextLimitChars, contextOf } from "./context.ts";
import { type Conversation, condenseTurns, type TurnMessages } from "./conversation.ts";
import { callModel, type ModelCall } from "./model-call.ts";
import { countChars, elideOldResults } from "./transcript.ts";
import type { Documents, World } from "./world.ts";

export type Compaction = { readonly ok: true } | { readonly ok: false; readonly failure: ModelFailure };

export interface CompactionInput {
  readonly documents: Documents;
  /** As for the step itself; only the request differs. */
  readonly call: Omit<ModelCall, "request">;
  /** Shrinks the target after a provider has said that the context is too long: 1, then 0.5, ... */
  readonly squeeze: number;
}

const KEEP_STEPS = 2;
/** A summary takes at most this part of the context. */
const SUMMARY_PART = 4;
const INSTRUCTION =
  "Condense the following part of a conversation for later use: facts, decisions, open points, names, numbers and files. Write plain text, at most 400 words, in the conversation's language.";

/** Brings the context under its limit if it is over. Costs at most a few model calls, all on the run's bill. */
export async function compactIfNeeded(
  world: World,
  run: ActiveRun,
  input: CompactionInput,
): Promise<Compaction> {
  const limit = contextLimitChars(input.documents) * input.squeeze;
  while (contextChars(world, run, input.documents) > limit) {
    const portion = oldestTurns(contextOf(world, run), limit / 2);
    if (portion === null) break;
    const condensed = await condense(world, run, { ...input, portion, limit });
    if (!condensed.ok) return condensed;
  }
  if (contextChars(world, run, input.documents) > limit) shortenOwnMessages(run);
  return { ok: true };
}

interface Portion {
  readonly conversation: Conversation;
  readonly turns: readonly TurnMessages[];
}

/** The oldest turns that fit together into one condensing request; at least one. */
function oldestTurns(conversation: Conversation | null, maxChars: number): Portion | null {
  if (conversation === null || conversation.turns.length === 0) return null;
  const turns: TurnMessages[] = [];
  let chars = conversation.summary.length;
  for (const turn of conversation.turns) {
    if (turns.length > 0 && chars + turn.chars > maxChars) break;
    turns.push(turn);
    chars += turn.chars;
  }
  return { conversation, turns };
}

async function condense(
  world: World,
  run: ActiveRun,
  input: CompactionInput & { readonly portion: Portion; readonly limit: number },
): Promise<Compaction> {
  const { conversation, turns } = input.portion;
  const transcript = turns.flatMap((turn) => turn.messages.map(asLine)).join("\n");
  const earlier = conversation.summary === "" ? "" : `Earlier summary:\n${conversation.summary}\n\n`;
  const messages: ChatMessage[] = [
    { role: "system", content: INSTRUCTION },
    { role: "user", content: earlier + capText(transcript, Math.floor(input.limit / 2)) },
  ];
  const result = await callModel(world, run, { ...input.call, request: { messages, tools: [] } });
  if (!result.ok) return result;
  const cost = world.price({
    ...pricedModel(input.documents),
    usage: result.answer.usage,
  });
  const spent = { ...cost, ...result.times, priceSource: cost.source, usage: result.answer.usage };
  run.totals = addCost(run.totals, spent);
  const upToTurn = turns.at(-1)?.turn ?? 0;
  // Of a model that condenses to more than it was given the next context would be too long as well.
  const text = capText(result.answer.text, Math.floor(input.limit / SUMMARY_PART));
  world.db.transaction(() =>
    insertSummary(world.db, {
      conversation: conversation.id,
      runId: run.record.runId,
      upToTurn,
      text,
      cost: spent,
    }),
  );
  condenseTurns(conversation, text, upToTurn);
  return { ok: true };
}

/** What the price table needs to know of the agent's model. */
export function pricedModel(documents: Documents) {
  const { model } = documents.agent;
  return {
    provider: model.provider,
    model: model.name,
    baseUrl: model.provider === "openai" ? (model.baseUrl ?? null) : null,
    ownPrice: model.price ?? null,
  };
}

function asLine(message: ChatMessage): string {
  if (message.role !== "assistant") return `${message.role}: ${message.content}`;
  const calls = message.toolCalls.map((call) => ` [calls ${call.name} ${call.arguments}]`).join("");
  return `assistant: ${message.content}${calls}`;
}

function shortenOwnMessages(run: ActiveRun): void {
  run.messages = elideOldResults(run.messages, KEEP_STEPS);
  run.chars = countChars(run.messages);
}
