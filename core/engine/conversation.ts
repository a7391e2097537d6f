/**
 * An agent's lasting conversation as context for the next model call. Kept in memory and extended turn by
 * turn, so that no run does work that grows with history; rebuilt from the journal after a restart.
 */
import { type Database, ownJson } from "../journal/database.ts";
import { type ClosedTurn, closedTurns } from "../journal/runs.ts";
import { readSteps } from "../journal/steps.ts";
import { latestSummary } from "../journal/summaries.ts";
import type { ChatMessage } from "../model/types.ts";
import type { ReceiptRow } from "../record/rows.ts";
import { answeredTurn, closingNote, countChars, stepMessages, userMessage } from "./transcript.ts";

export interface TurnMessages {
  readonly turn: number;
  readonly messages: readonly ChatMessage[];
  readonly chars: number;
}

export interface Conversation {
  readonly id: number;
  /** What older turns were condensed to; empty when nothing was. */
  summary: string;
  /** Closed turns after the summary, oldest first. */
  turns: TurnMessages[];
  /** Characters of all of it. */
  chars: number;
}

/** Turns kept in memory at most; a longer history is condensed long before. */
const MAX_TURNS = 5_000;

export function loadConversation(db: Database, id: number, cap: number): Conversation {
  const summary = latestSummary(db, id);
  const turns: TurnMessages[] = [];
  const range = { conversation: id, after: summary?.upToTurn ?? 0, limit: MAX_TURNS };
  for (const turn of closedTurns(db, range)) turns.push(turnMessages(db, turn, cap));
  const loaded = { id, summary: summary?.text ?? "", turns: turns.reverse() };
  return { ...loaded, chars: charsOf(loaded) };
}

function turnMessages(db: Database, closed: ClosedTurn, cap: number): TurnMessages {
  const { record } = closed;
  if (record.lane === "answer") return measured(closed.turn, answeredTurn(record.input, closed.reply, cap));
  const steps: ChatMessage[] = [];
  for (const step of readSteps(db, record.runId)) steps.push(...stepMessages(step, cap));
  const receipt = ownJson<ReceiptRow>(closed.receipt);
  return measured(closed.turn, [userMessage(record.input, cap), ...steps, ...closingNote(receipt)]);
}

export function measured(turn: number, messages: readonly ChatMessage[]): TurnMessages {
  return { turn, messages, chars: countChars(messages) };
}

export function addTurn(conversation: Conversation, turn: TurnMessages): void {
  conversation.turns.push(turn);
  conversation.chars += turn.chars;
}

/** Puts a summary in the place of the turns up to and including that one, unless another run was there first. */
export function condenseTurns(conversation: Conversation, summary: string, upToTurn: number): void {
  if (!conversation.turns.some((turn) => turn.turn <= upToTurn)) return;
  conversation.summary = summary;
  conversation.turns = conversation.turns.filter((turn) => turn.turn > upToTurn);
  conversation.chars = charsOf(conversation);
}

function charsOf(conversation: Pick<Conversation, "summary" | "turns">): number {
  return conversation.turns.reduce((sum, turn) => sum + turn.chars, conversation.summary.length);
}
