/** Requests of A2A's clients, through the SDK: its two generations of JSON-RPC, answers and streams. */
import { formatSSEErrorEvent, formatSSEEvent } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from "@a2a-js/sdk/server";
import { z } from "zod";
import { eventStream, eventStreamResponse } from "../event-stream.ts";
import type { ReadableDoor } from "./readable.ts";

export interface Asked {
  readonly door: ReadableDoor;
  /** Aborted here when the client leaves its stream. */
  readonly leave: AbortController;
  readonly body: string;
  /** Of the header `A2A-Version`; without it the client is of the older generation. */
  readonly version: string | undefined;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

const envelope = z.looseObject({ id: z.union([z.string(), z.int()]).nullish() });
const failedAnswer = z.looseObject({ error: z.looseObject({ code: z.literal(INTERNAL_ERROR) }) });

/** Errors of the protocol come in its shape, with status 200. */
export async function answerRpc({ door, leave, body, version }: Asked): Promise<Response> {
  const json = parsed(body);
  if (json === undefined) return refused(null, PARSE_ERROR, "The body is no JSON.");
  const request = envelope.safeParse(json);
  if (!request.success) return refused(null, INVALID_REQUEST, "The body is no request of JSON-RPC.");
  const id = request.data.id ?? null;
  const context = new ServerCallContext(version === undefined ? {} : { requestedVersion: version });
  const legacy = context.requestedVersion === "0.3";
  const toError = legacy
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError
    : JsonRpcTransportHandler.mapToJSONRPCError;
  const failure = (error: unknown) => ({ jsonrpc: "2.0", id, error: toError(error) });
  const { handler } = door;
  try {
    validateVersion(context.requestedVersion, await handler.getAgentCard(), "JSONRPC");
  } catch (error) {
    return Response.json(failure(error));
  }
  const transport = legacy
    ? new LegacyJsonRpcTransportHandler(handler)
    : new JsonRpcTransportHandler(handler);
  const answer = await transport.handle(request.data, context);
  if (!(Symbol.asyncIterator in answer)) {
    // What the SDK stumbled over while reading is told in words of its insides.
    return !door.wasReached() && failedAnswer.safeParse(answer).success
      ? refused(id, INVALID_PARAMS, "The parameters are not those of this method.")
      : Response.json(answer);
  }
  // What is refused before there is a stream is an answer of its own.
  const events = answer[Symbol.asyncIterator]();
  try {
    const first = await events.next();
    return eventStreamResponse(eventStream(frames(first, events, failure), leave));
  } catch (error) {
    return Response.json(failure(error));
  }
}

function refused(id: string | number | null, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { code, message } });
}

/** Undefined for what is no JSON. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function* frames(
  first: IteratorResult<unknown, unknown>,
  events: AsyncGenerator<unknown, unknown>,
  failure: (error: unknown) => object,
): AsyncGenerator<string, undefined> {
  try {
    for (let next = first; next.done !== true; next = await events.next()) yield formatSSEEvent(next.value);
  } catch (error) {
    yield formatSSEErrorEvent(failure(error));
  }
}
