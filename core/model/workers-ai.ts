/**
 * Models behind the Workers AI binding. They answer in one of two shapes: `response` and flat `tool_calls`
 * with parsed arguments, or OpenAI's `choices`; as a stream of events, or whole where they cannot stream.
 */
import { z } from "zod";
import { describeError } from "../log.ts";
import { runAttempt } from "./attempt.ts";
import { type AttemptContext, readBody, readWhole } from "./body.ts";
import { classifyFailure, retryAfterMs } from "./failure.ts";
import { toWireMessages, toWireTools } from "./messages.ts";
import type { ModelClient, ModelFailure, ModelResult } from "./types.ts";

/** The part of the binding that is used; resolves to a stream, a response or a parsed answer. */
export interface AiLike {
  run(model: string, inputs: Record<string, unknown>, options?: { signal?: AbortSignal }): Promise<unknown>;
}

export interface WorkersAiClientOptions {
  readonly ai: AiLike;
  /** As in the catalogue: `@cf/...`. */
  readonly model: string;
  /** Longest answer in tokens, default 2,048; the platform's own default of 256 cuts most answers. */
  readonly maxTokens?: number;
}

const DEFAULT_MAX_TOKENS = 2_048;

/** A client for one model of the catalogue. */
export function createWorkersAiClient(options: WorkersAiClientOptions): ModelClient {
  const maxTokens = options.maxTokens ?? DEFAULT_MAX_TOKENS;
  return {
    attempt: (request, attemptOptions) =>
      runAttempt(request, attemptOptions, async (context) => {
        const inputs = {
          messages: toWireMessages(request.messages, { emptyContent: "string", sendReasoning: false }),
          ...(request.tools.length > 0 ? { tools: toWireTools(request.tools) } : {}),
          stream: true,
          max_tokens: maxTokens,
        };
        const { signal } = context;
        try {
          return markCut(
            await readOutput(await options.ai.run(options.model, inputs, { signal }), context),
            maxTokens,
          );
        } catch (error) {
          return { ok: false, failure: failureOfThrown(error) };
        }
      }),
  };
}

async function readOutput(output: unknown, context: AttemptContext): Promise<ModelResult> {
  if (output instanceof ReadableStream) return await readBody(output, "text/event-stream", context);
  if (output instanceof Response) return await readResponse(output, context);
  if (typeof output === "string") return readWhole({ response: output }, context);
  const wrapped = z.object({ result: z.looseObject({}) }).safeParse(output);
  return readWhole(wrapped.success ? wrapped.data.result : output, context);
}

async function readResponse(response: Response, context: AttemptContext): Promise<ModelResult> {
  if (response.ok) return await readBody(response.body, response.headers.get("content-type") ?? "", context);
  const body = await response.text();
  const retryAfter = retryAfterMs(response.headers, null);
  return { ok: false, failure: classifyFailure({ status: response.status, body, retryAfterMs: retryAfter }) };
}

/** The first shape has no finish reason: an answer as long as was allowed is one that was cut. */
function markCut(result: ModelResult, maxTokens: number): ModelResult {
  if (!result.ok || result.answer.usage === null || result.answer.usage.outputTokens < maxTokens)
    return result;
  return { ok: true, answer: { ...result.answer, finish: "length" } };
}

/** The platform's error numbers, as its documentation maps them to HTTP. */
const ERRORS: Readonly<Record<number, { readonly status: number; readonly code?: string }>> = {
  3003: { status: 400 },
  3006: { status: 413 },
  3007: { status: 408 },
  3008: { status: 408 },
  3023: { status: 403 },
  3036: { status: 429, code: "quota_exhausted" },
  3039: { status: 400 },
  3040: { status: 429 },
  3041: { status: 403 },
  3042: { status: 404 },
  5004: { status: 400 },
  5005: { status: 405 },
  5007: { status: 404 },
  5016: { status: 403 },
  5018: { status: 403 },
  5019: { status: 405 },
};

/** The binding throws errors whose message begins with the platform's number. */
function failureOfThrown(error: unknown): ModelFailure {
  const message = describeError(error);
  const number = /^(?:[A-Za-z]+: )?(\d{4}): /.exec(message)?.[1];
  const known = number === undefined ? undefined : ERRORS[Number(number)];
  const body = { message, code: known?.code ?? null };
  return classifyFailure({ status: known?.status ?? null, body, retryAfterMs: null });
}
