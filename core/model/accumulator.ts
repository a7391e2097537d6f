/**
 * Puts an answer together from the pieces that providers send: deltas of a stream, a whole completion, or
 * Workers AI's own shape. What it cannot read it leaves out; what is missing is judged by `settleAnswer`.
 */
import { z } from "zod";
import { plainText } from "./plain-delta.ts";
import type { Usage } from "./types.ts";
import { parseUsage } from "./usage.ts";

export interface RawCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface RawAnswer {
  /** Whether any message was there at all, be it empty. */
  readonly seen: boolean;
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  /** In the order in which they began. Ids may be missing (empty), too long or doubled. */
  readonly calls: readonly RawCall[];
  readonly finishReason: string | null;
  readonly usage: Usage | null;
}

export interface Accumulator {
  /** Takes one parsed piece. Never throws unless `onText` does. */
  push(piece: unknown): void;
  readonly text: () => string;
  readonly answer: () => RawAnswer;
}

const words = z.string().nullish().catch(null);
const list = z.array(z.unknown()).nullish().catch(null);
const callPiece = z.object({
  index: z.number().int().nullish().catch(null),
  id: z.coerce.string().nullish().catch(null),
  function: z.object({ name: words, arguments: z.unknown().optional() }).nullish().catch(null),
  name: words,
  arguments: z.unknown().optional(),
});
const message = z.object({
  content: z.unknown().optional(),
  reasoning_content: z.unknown().optional(),
  reasoning: z.unknown().optional(),
  refusal: words,
  tool_calls: list,
});
const choice = z.object({
  delta: message.nullish().catch(null),
  message: message.nullish().catch(null),
  finish_reason: words,
});
const piece = z.object({
  choices: list,
  usage: z.unknown().optional(),
  finish_reason: words,
  response: z.unknown().optional(),
  tool_calls: list,
});
const textPart = z.object({ type: z.string().optional(), text: z.string() });

interface OpenCall {
  id: string;
  name: string;
  arguments: string;
}

interface State {
  seen: boolean;
  text: string;
  reasoning: string;
  refusal: string;
  finishReason: string | null;
  usage: Usage | null;
  readonly calls: OpenCall[];
  readonly byIndex: Map<number, OpenCall>;
}

/** `onText` gets each piece of answer text once, in order. */
export function createAccumulator(onText: (piece: string) => void): Accumulator {
  const state: State = {
    seen: false,
    text: "",
    reasoning: "",
    refusal: "",
    finishReason: null,
    usage: null,
    calls: [],
    byIndex: new Map(),
  };
  const addText = (text: string) => {
    if (text === "") return;
    state.text += text;
    onText(text);
  };
  return {
    push: (value) => {
      const text = plainText(value);
      if (text !== null) {
        state.seen = true;
        addText(text);
        return;
      }
      const parsed = piece.safeParse(value);
      if (!parsed.success) return;
      state.usage = parseUsage(parsed.data.usage) ?? state.usage;
      takeFinish(state, parsed.data.finish_reason);
      takeNative(state, parsed.data, addText);
      takeChoice(state, parsed.data.choices?.[0], addText);
    },
    text: () => state.text,
    answer: () => {
      const { byIndex: _, calls, ...rest } = state;
      return { ...rest, calls: calls.map((call) => ({ ...call })) };
    },
  };
}

function takeChoice(state: State, value: unknown, addText: (text: string) => void): void {
  const parsed = choice.safeParse(value);
  if (!parsed.success) return;
  takeFinish(state, parsed.data.finish_reason);
  const content = parsed.data.delta ?? parsed.data.message;
  if (!content) return;
  state.seen = true;
  addText(textOf(content.content));
  state.reasoning += textOf(content.reasoning_content) || textOf(content.reasoning);
  state.refusal += content.refusal ?? "";
  const whole = !parsed.data.delta;
  for (const call of content.tool_calls ?? []) takeCall(state, call, whole);
}

/** Workers AI's own shape has text and whole calls at the top; a single digit may arrive as a number. */
function takeNative(state: State, data: z.infer<typeof piece>, addText: (text: string) => void): void {
  const { response } = data;
  if (response !== undefined || data.tool_calls) state.seen = true;
  if (typeof response === "string") addText(response);
  else if (response !== undefined && response !== null) addText(JSON.stringify(response));
  for (const call of data.tool_calls ?? []) takeCall(state, call, !hasIndex(call));
}

function takeFinish(state: State, reason: string | null | undefined): void {
  if (reason) state.finishReason = reason;
}

function takeCall(state: State, value: unknown, whole: boolean): void {
  const parsed = callPiece.safeParse(value);
  if (!parsed.success) return;
  const delta = {
    index: parsed.data.index ?? null,
    id: parsed.data.id?.trim() ?? "",
    name: parsed.data.function?.name ?? parsed.data.name ?? "",
    arguments: argumentText(parsed.data.function?.arguments ?? parsed.data.arguments),
  };
  if (delta.id === "" && delta.name === "" && delta.arguments === "") return;
  const call = (whole ? null : findOpen(state, delta)) ?? openCall(state, delta);
  if (call.id === "") call.id = delta.id;
  if (call.name !== delta.name) call.name += delta.name;
  call.arguments += delta.arguments;
}

interface CallDelta extends OpenCall {
  readonly index: number | null;
}

/** By index, else by id, else the last one; null when the delta begins a call of its own. */
function findOpen(state: State, delta: CallDelta): OpenCall | null {
  if (delta.index !== null) {
    const call = state.byIndex.get(delta.index);
    if (call === undefined) return null;
    return hasOtherId(call, delta) || beginsAnother(call, delta) ? null : call;
  }
  if (delta.id !== "") return state.calls.findLast((call) => call.id === delta.id) ?? null;
  const last = state.calls.at(-1) ?? null;
  if (last === null || beginsAnother(last, delta)) return null;
  return delta.name !== "" && last.name !== "" && delta.name !== last.name ? null : last;
}

function hasOtherId(call: OpenCall, delta: CallDelta): boolean {
  if (delta.id === "" || delta.id === call.id) return false;
  return call.id !== "" || (call.name !== "" && delta.name !== "");
}

/** Without ids, a name and arguments after complete arguments are the next call at a reused index. */
function beginsAnother(call: OpenCall, delta: CallDelta): boolean {
  if (delta.id !== "" || delta.name === "" || delta.arguments === "" || call.name === "") return false;
  return isJson(call.arguments);
}

function openCall(state: State, delta: CallDelta): OpenCall {
  const call = { id: "", name: "", arguments: "" };
  state.calls.push(call);
  if (delta.index !== null) state.byIndex.set(delta.index, call);
  return call;
}

/** Some providers send the arguments as an object instead of its JSON text. */
function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Content is a string, null, or a list of parts of which only the text ones are text. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value
    .map((part) => {
      const parsed = textPart.safeParse(part);
      return parsed.success && /^(text|output_text)?$/.test(parsed.data.type ?? "") ? parsed.data.text : "";
    })
    .join("");
}

function hasIndex(value: unknown): boolean {
  return z.object({ index: z.number() }).safeParse(value).success;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
