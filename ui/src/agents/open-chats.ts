/** Messages sent from this page whose runs are under way. They outlive the view, so that one can leave and come back. */
import { type Signal, signal } from "@preact/signals";
import { authorizedFetch } from "../api/client.ts";
import { readServerEvents } from "../api/server-events.ts";
import { hearRunEvent, type ShownTurn, turnOfMessage } from "./chat-stream.ts";

export type ChatRefusal =
  | { readonly code: "queue_full"; readonly seconds: number }
  | { readonly code: "paused" | "forbidden" | "not_found" | "too_large" | "failed" }
  /** Whether the message arrived is not known. */
  | { readonly code: "offline" };

const chats = new Map<string, Signal<readonly ShownTurn[]>>();

export function openTurns(agentId: string): Signal<readonly ShownTurn[]> {
  const known = chats.get(agentId);
  if (known !== undefined) return known;
  const turns = signal<readonly ShownTurn[]>([]);
  chats.set(agentId, turns);
  return turns;
}

interface ChatInput {
  readonly agentId: string;
  readonly message: string;
  /** The message is there and its run will end, whatever becomes of the stream. */
  accepted(): void;
}

/** The stream has ended; `status` is the run's, null when the stream broke off before. */
export interface ChatEnd {
  readonly code: "ended";
  readonly status: string | null;
}

/** Sends a message and shows its run as it happens, until the stream ends. Never throws. */
export async function chat({ agentId, message, accepted }: ChatInput): Promise<ChatRefusal | ChatEnd> {
  const shown = showIn(openTurns(agentId), turnOfMessage(message));
  try {
    const response = await authorizedFetch(`/api/agents/${agentId}/chat`, {
      method: "POST",
      headers: { accept: "text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ message }),
    });
    if (!response.ok || response.body === null) return refusalOf(response);
    accepted();
    await readServerEvents(response.body, {
      event: (event) => shown.change((turn) => hearRunEvent(turn, event)),
    });
    return { code: "ended", status: shown.turn().status };
  } catch {
    return shown.turn().runId === "" ? { code: "offline" } : { code: "ended", status: null };
  } finally {
    shown.end();
  }
}

/** A turn among others, painted once a frame however fast its text comes. */
function showIn(turns: Signal<readonly ShownTurn[]>, first: ShownTurn) {
  let turn = first;
  let painted = first;
  let frame: number | null = null;
  turns.value = [...turns.peek(), first];
  const paint = () => {
    frame = null;
    turns.value = turns.peek().map((each) => (each === painted ? turn : each));
    painted = turn;
  };
  return {
    turn: () => turn,
    change: (next: (turn: ShownTurn) => ShownTurn) => {
      turn = next(turn);
      frame ??= requestAnimationFrame(paint);
    },
    /** What has not ended in sight of this page is left to the conversation on record. */
    end: () => {
      if (frame !== null) cancelAnimationFrame(frame);
      paint();
      if (turn.state !== "ended") turns.value = turns.peek().filter((each) => each !== turn);
    },
  };
}

function refusalOf(response: Response): ChatRefusal {
  switch (response.status) {
    case 429:
      return { code: "queue_full", seconds: Number(response.headers.get("retry-after") ?? 5) };
    case 409:
      return { code: "paused" };
    case 403:
      return { code: "forbidden" };
    case 404:
      return { code: "not_found" };
    case 413:
      return { code: "too_large" };
    default:
      return { code: response.status >= 502 ? "offline" : "failed" };
  }
}
