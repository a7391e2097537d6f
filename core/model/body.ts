/** Reads a provider's 200: a stream of events, or a whole completion, whichever it turns out to be. */
import { describeError } from "../log.ts";
import type { Accumulator } from "./accumulator.ts";
import { badAnswer, settleAnswer } from "./answer.ts";
import { createEventParser, type ServerEvent } from "./events.ts";
import { classifyFailure, errorInBody } from "./failure.ts";
import type { ModelFailure, ModelRequest, ModelResult } from "./types.ts";

export interface AttemptContext {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly accumulator: Accumulator;
}

/** `contentType` is only asked where the body's first character does not tell. Rejects with nothing. */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  contentType: string,
  context: AttemptContext,
): Promise<ModelResult> {
  if (body === null) return badAnswer("The provider's answer is empty", context.accumulator.answer());
  try {
    return await readPieces(textPieces(body, context.signal), contentType, context);
  } catch (error) {
    const message = `The connection broke: ${describeError(error)}`;
    return badAnswer(message, context.accumulator.answer(), "network");
  }
}

/** Takes a whole answer that is parsed already. */
export function readWhole(value: unknown, context: AttemptContext): ModelResult {
  const error = errorInBody(value);
  if (error !== null) return { ok: false, failure: errorFailure(error, context) };
  context.accumulator.push(value);
  return settleAnswer(context.accumulator.answer(), context.request);
}

async function readPieces(
  pieces: AsyncGenerator<string>,
  contentType: string,
  context: AttemptContext,
): Promise<ModelResult> {
  const head = await untilFirstCharacter(pieces);
  const first = head.trimStart()[0];
  if (first === undefined) return badAnswer("The provider's answer is empty", context.accumulator.answer());
  if (isEventStream(first, contentType)) return await readEvents(startingWith(head, pieces), context);
  let text = head;
  for await (const piece of pieces) text += piece;
  return readText(text, context);
}

async function untilFirstCharacter(pieces: AsyncGenerator<string>): Promise<string> {
  let head = "";
  while (head.trim() === "") {
    const piece = await pieces.next();
    if (piece.done) break;
    head += piece.value;
  }
  return head;
}

/** JSON and HTML begin with what no event stream begins with; a stream's lines begin with a field or a colon. */
function isEventStream(first: string, contentType: string): boolean {
  if (/[{[<]/.test(first)) return false;
  return contentType.includes("event-stream") || /[:deir]/.test(first);
}

function readText(text: string, context: AttemptContext): ModelResult {
  const value = parseJson(text);
  if (value !== undefined) return readWhole(value, context);
  const kind = /^\s*</.test(text) ? text : "the JSON is broken or cut";
  return badAnswer(`The provider's answer cannot be read: ${kind}`, context.accumulator.answer());
}

async function readEvents(pieces: AsyncGenerator<string>, context: AttemptContext): Promise<ModelResult> {
  const parser = createEventParser();
  for await (const piece of pieces) {
    for (const event of parser.push(piece)) {
      const end = takeEvent(event, context);
      if (end !== null) return end;
    }
  }
  for (const event of parser.flush()) {
    // An event that the end of the stream cut in two is no broken JSON, it is a broken connection.
    const end =
      event.data === "[DONE]" || parseJson(event.data) !== undefined ? takeEvent(event, context) : null;
    if (end !== null) return end;
  }
  const raw = context.accumulator.answer();
  if (raw.finishReason !== null) return settleAnswer(raw, context.request);
  return badAnswer("The provider's stream ended early", raw, "network");
}

/** The result, when this event ends the attempt. */
function takeEvent(event: ServerEvent, context: AttemptContext): ModelResult | null {
  const data = event.data.trim();
  if (data === "") return null;
  if (data === "[DONE]") return settleAnswer(context.accumulator.answer(), context.request);
  const value = parseJson(data);
  const error = event.name === "error" ? (value ?? data) : mayHoldError(data) ? errorInBody(value) : null;
  if (error !== null) return { ok: false, failure: errorFailure(error, context) };
  if (value === undefined) {
    return badAnswer("The provider's stream holds broken JSON", context.accumulator.answer());
  }
  context.accumulator.push(value);
  return null;
}

/** Spares the many pieces of a stream a closer look: whatever `errorInBody` finds has one of these words in it. */
function mayHoldError(json: string): boolean {
  return json.includes("error") || json.includes("success");
}

function errorFailure(error: unknown, context: AttemptContext): ModelFailure {
  const partialText = context.accumulator.text();
  return classifyFailure({ status: null, body: error, retryAfterMs: null, partialText });
}

async function* startingWith(head: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head;
  yield* rest;
}

async function* textPieces(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      yield decoder.decode(part.value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    signal.removeEventListener("abort", stop);
    release(reader);
  }
}

/**
 * After `[DONE]` only the end should follow: reading it lets the connection be used again, where cancelling
 * closes it. Not awaited, for some providers leave the stream open.
 */
function release(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  const cancelUnlessDone = (part: { done: boolean }) => (part.done ? undefined : reader.cancel());
  void reader
    .read()
    .then(cancelUnlessDone)
    .catch(() => undefined);
}

/** Undefined when the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
