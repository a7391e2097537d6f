/**
 * The scripted model: it plays a scenario without a key and without a network. It keeps no state;
 * what it answers depends on the request's messages alone, so a run that is resumed hears the same.
 */
import type { Scenario, ScenarioAction } from "./scenario.ts";
import { matchRule } from "./scenario-match.ts";
import { fillTemplate, type TemplateValues } from "./scenario-template.ts";
import { readTurn, type Turn } from "./scenario-turn.ts";
import type {
  AttemptOptions,
  ChatMessage,
  ModelAnswer,
  ModelClient,
  ModelFailure,
  ModelResult,
  ToolCall,
  Usage,
} from "./types.ts";

interface ScriptedClientOptions {
  /** Null answers with an echo that says what it is. */
  readonly scenario: Scenario | null;
  readonly agentId: string;
  /** Waits `ms` milliseconds, or until the signal aborts; it may then resolve or reject. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Reply {
  readonly action: ScenarioAction;
  readonly text: string;
  readonly values: TemplateValues;
}

/** How much of the user's message the echo repeats, and how many characters count as one token. */
const ECHO_CHARS = 200;
const CHARS_PER_TOKEN = 4;

/** A model client that plays a scenario. Like every client it never throws or rejects. */
export function createScriptedClient(options: ScriptedClientOptions): ModelClient {
  return {
    attempt: async (request, attempt) => {
      const reply = chooseReply(readTurn(request.messages), options);
      const given = await streamText(reply, { ...attempt, sleep: options.sleep });
      if (attempt.signal.aborted) return failed({ code: "aborted", message: ABORTED }, given);
      return finish(reply, request.messages);
    },
  };
}

const ABORTED = "The call was cancelled before the scripted model had answered.";

function chooseReply(turn: Turn, { scenario, agentId }: ScriptedClientOptions): Reply {
  const matched = scenario === null ? null : matchRule(scenario, turn);
  const captures = matched?.captures ?? { user: [], result: [], calls: new Map() };
  const values = { turn, captures, agentId };
  const action = matched?.action ?? scenario?.otherwise;
  if (action !== undefined) return { action, text: fillTemplate(action.say ?? "", values), values };
  const why = scenario === null ? "I have no scenario" : "no rule of my scenario fits";
  return { action: {}, text: echo(why, values), values };
}

function echo(why: string, { turn, agentId }: TemplateValues): string {
  const heard = turn.user.slice(0, ECHO_CHARS).toWellFormed();
  const cut = turn.user.length > ECHO_CHARS ? " ..." : "";
  return `I am ${agentId}, played by the scripted model, and ${why}. I heard: ${heard}${cut}`;
}

type StreamOptions = AttemptOptions & Pick<ScriptedClientOptions, "sleep">;

/** Gives out the text piece by piece and answers what was given out: less than all if the signal aborted. */
async function streamText({ action, text }: Reply, options: StreamOptions): Promise<string> {
  const chars = action.stream?.chars ?? text.length;
  let given = 0;
  let open = await waited(action.delayMs ?? 0, options);
  while (open && given < text.length) {
    const end = pieceEnd(text, given + chars);
    options.onText?.(text.slice(given, end));
    given = end;
    if (given < text.length) open = await waited(action.stream?.delayMs ?? 0, options);
  }
  return text.slice(0, given);
}

async function waited(ms: number, { sleep, signal }: StreamOptions): Promise<boolean> {
  if (ms > 0 && !signal.aborted) {
    // A sleep that the signal ends may reject; the signal says so better than its error.
    await sleep(ms, signal).catch(() => undefined);
  }
  return !signal.aborted;
}

/** Never between the halves of a surrogate pair: a piece is valid text by itself. */
function pieceEnd(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? Math.min(end + 1, text.length) : end;
}

function finish(reply: Reply, messages: readonly ChatMessage[]): ModelResult {
  const { action, text, values } = reply;
  if (action.fail !== undefined) {
    return failed({ ...action.fail, message: fillTemplate(action.fail.message, values) }, text);
  }
  const toolCalls = makeCalls(reply);
  const reasoning = fillTemplate(action.reasoning ?? "", values);
  const said = { text, reasoning, toolCalls };
  const usage = action.usage === undefined ? estimateUsage(messages, said) : action.usage;
  const defaultFinish = toolCalls.length > 0 ? "tool_calls" : "stop";
  return { ok: true, answer: { ...said, finish: action.finish ?? defaultFinish, usage } };
}

function failed(
  failure: Partial<ModelFailure> & Pick<ModelFailure, "code" | "message">,
  partialText: string,
) {
  return { ok: false, failure: { status: null, retryAfterMs: null, ...failure, partialText } } as const;
}

function makeCalls({ action, values }: Reply): ToolCall[] {
  return (action.calls ?? []).map((call, n) => ({
    id: `call_${values.turn.step}_${n}`,
    name: fillTemplate(call.name, values),
    arguments:
      typeof call.arguments === "string"
        ? fillTemplate(call.arguments, values)
        : JSON.stringify(fillJson(call.arguments, values)),
  }));
}

function fillJson(value: unknown, values: TemplateValues): unknown {
  if (typeof value === "string") return fillTemplate(value, values);
  if (Array.isArray(value)) return value.map((item) => fillJson(item, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillJson(item, values)]));
}

function estimateUsage(
  messages: readonly ChatMessage[],
  said: Pick<ModelAnswer, "text" | "reasoning" | "toolCalls">,
): Usage {
  const input = messages.reduce((sum, message) => sum + message.content.length + callChars(message), 0);
  const output = said.text.length + said.reasoning.length + argumentChars(said.toolCalls);
  return {
    inputTokens: Math.ceil(input / CHARS_PER_TOKEN),
    cachedInputTokens: 0,
    outputTokens: Math.ceil(output / CHARS_PER_TOKEN),
    reasoningTokens: Math.ceil(said.reasoning.length / CHARS_PER_TOKEN),
  };
}

const callChars = (message: ChatMessage) =>
  message.role === "assistant" ? argumentChars(message.toolCalls) : 0;

const argumentChars = (calls: readonly ToolCall[]) =>
  calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
