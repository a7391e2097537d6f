/** What the engine says to a model and hears from it, whatever provider stands behind. */

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; may be broken, the engine answers that as a readable error. */
  readonly arguments: string;
}

export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string }
  | {
      readonly role: "assistant";
      readonly content: string;
      /** The provider's reasoning text; sent back only to models that require it. */
      readonly reasoning: string;
      readonly toolCalls: readonly ToolCall[];
    }
  | { readonly role: "tool"; readonly callId: string; readonly content: string };

/** One function as the model sees it. `parameters` has `type: "object"` at the top and no oneOf/anyOf/allOf there. */
export interface ToolFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Tokens of one model call. `inputTokens` includes the cached ones. */
export interface Usage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolFunction[];
}

export type FinishReason = "stop" | "tool_calls" | "length" | "refusal" | "content_filter";

export interface ModelAnswer {
  readonly text: string;
  readonly reasoning: string;
  /** Every call has a non-empty id, unique within the answer. */
  readonly toolCalls: readonly ToolCall[];
  readonly finish: FinishReason;
  /** Null when the provider reported none: cost is then unknown, never 0. */
  readonly usage: Usage | null;
}

export type ModelErrorCode =
  | "rate_limited"
  | "quota"
  | "overloaded"
  | "network"
  | "bad_response"
  | "timeout"
  | "aborted"
  | "context_overflow"
  | "auth"
  | "not_found"
  | "bad_request";

export interface ModelFailure {
  readonly code: ModelErrorCode;
  /** For people and models; already free of stack traces. The caller scrubs it. */
  readonly message: string;
  readonly status: number | null;
  /** From `retry-after-ms` or `retry-after` (seconds or HTTP date); null when absent. */
  readonly retryAfterMs: number | null;
  /** What had been streamed before the failure; not an answer. */
  readonly partialText: string;
}

export type ModelResult =
  | { readonly ok: true; readonly answer: ModelAnswer }
  | { readonly ok: false; readonly failure: ModelFailure };

export interface AttemptOptions {
  /** Aborts the network call. The client honours it at once and answers `aborted`. */
  readonly signal: AbortSignal;
  /** Called with each piece of answer text as it arrives; must not throw. */
  readonly onText?: (piece: string) => void;
  /** W3C trace context: a gateway that traces too joins the same trace. */
  readonly traceparent?: string;
}

/** One provider and model. `attempt` makes exactly one call, never retries and never throws or rejects. */
export interface ModelClient {
  attempt(request: ModelRequest, options: AttemptOptions): Promise<ModelResult>;
}
