/** A run's events as A2A's: the status, the reply piece by piece, the end. */
import { type StreamResponse, TaskState } from "@a2a-js/sdk";
import { ApiError } from "../errors.ts";
import { runEvents } from "../run-events.ts";
import { SpokenText } from "../spoken-text.ts";
import { endedStatus, replyPiece, statusUpdate, type TaskKey, textPart } from "./task.ts";

/** Throws when the run's object was moved or restarted; the run goes on, and the client can subscribe again. */
export async function* runStream(
  key: TaskKey,
  events: ReadableStream<Uint8Array>,
  left: AbortSignal,
): AsyncGenerator<StreamResponse, void, undefined> {
  const spoken = new SpokenText();
  let said = "";
  for await (const event of runEvents(events, left)) {
    if (event.type === "run" && event.state === "started") yield statusUpdate(key, working());
    if (event.type === "delta") {
      const text = spoken.hear(event);
      if (text === "") continue;
      yield replyPiece(key, [textPart(text)], { append: said !== "", last: false });
      said += text;
    }
    if (event.type !== "done") continue;
    const { reply } = event;
    // What was said between tool calls, or in an attempt that was made again, is not part of the reply.
    if (reply !== said) yield replyPiece(key, [textPart(reply)], { append: false, last: true });
    else if (reply !== "") yield replyPiece(key, [], { append: true, last: true });
    yield statusUpdate(key, endedStatus(key, event.receipt, now()));
    return;
  }
  throw new ApiError(
    "unavailable",
    `The stream broke. The task ${key.runId} goes on: subscribe to it again, or get it later.`,
  );
}

function working() {
  return { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: now() };
}

function now(): string {
  return new Date().toISOString();
}
