/** The conversation and the tools as OpenAI-compatible providers want them on the wire. Pure. */
import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { ChatMessage, ToolCall, ToolFunction } from "./types.ts";

export interface WireOptions {
  /** How an assistant message that has calls and no text shows its content: some refuse null, some refuse "". */
  readonly emptyContent: "null" | "string";
  /** Whether reasoning goes back as `reasoning_content`: some models require it, some refuse it. */
  readonly sendReasoning: boolean;
}

/** Keeps order and count of the messages; call ids stay as they are in the conversation. */
export function toWireMessages(
  messages: readonly ChatMessage[],
  options: WireOptions,
): ChatCompletionMessageParam[] {
  return messages.map((message) => toWireMessage(message, options));
}

export function toWireTools(tools: readonly ToolFunction[]): ChatCompletionFunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

/** Whether `emptyContent` makes a difference to these messages. */
export function hasEmptyContent(messages: readonly ChatMessage[]): boolean {
  return messages.some(isCallsOnly);
}

function isCallsOnly(message: ChatMessage): boolean {
  return message.role === "assistant" && message.toolCalls.length > 0 && message.content === "";
}

function toWireMessage(message: ChatMessage, options: WireOptions): ChatCompletionMessageParam {
  if (message.role === "tool") {
    return { role: "tool", tool_call_id: message.callId, content: message.content };
  }
  if (message.role !== "assistant") return message;
  const reasoning = options.sendReasoning && message.reasoning !== "";
  return {
    role: "assistant",
    content: isCallsOnly(message) && options.emptyContent === "null" ? null : message.content,
    ...(message.toolCalls.length > 0 ? { tool_calls: message.toolCalls.map(wireCall) } : {}),
    ...(reasoning ? { reasoning_content: message.reasoning } : {}),
  };
}

/** A history's calls are the same objects in each request: they are checked once, however long it grows. */
const wired = new WeakMap<ToolCall, ReturnType<typeof toWireCall>>();

function wireCall(call: ToolCall) {
  const known = wired.get(call) ?? toWireCall(call);
  wired.set(call, known);
  return known;
}

function toWireCall(call: ToolCall) {
  return {
    id: call.id,
    type: "function" as const,
    function: { name: wireName(call.name), arguments: wireArguments(call.arguments) },
  };
}

/** Providers refuse a history whose names break their pattern, also where a model invented the name. */
function wireName(name: string): string {
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
  return safe === "" ? "unnamed" : safe;
}

/**
 * Providers that parse the history refuse arguments which are no JSON object, for ever after. The call's
 * result already tells the model what was wrong with them, so the history goes on with an empty object.
 */
function wireArguments(text: string): string {
  return isJsonObject(text) ? text : "{}";
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
