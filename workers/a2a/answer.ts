/** Requests of A2A's clients, through the SDK: its two generations of JSON-RPC, answers and streams. */
import { formatSSEErrorEvent, formatSSEEvent } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import {
  type A2ARequestHandler,
  JsonRpcTransportHandler,
  ServerCallContext,
  validateVersion,
} from "@a2a-js/sdk/server";
import { EVENT_STREAM_HEADERS } from "../api/agents.ts";

export interface Asked {
  readonly handler: A2ARequestHandler;
  readonly body: string;
  /** Of the header `A2A-Version`; without it the client is of the older generation. */
  readonly version: string | undefined;
}

/** Errors of the protocol come in its shape, with status 200. */
export async function answerRpc({ handler, body, version }: Asked): Promise<Response> {
  const context = new ServerCallContext(version === undefined ? {} : { requestedVersion: version });
  const legacy = context.requestedVersion === "0.3";
  const toError = legacy
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError
    : JsonRpcTransportHandler.mapToJSONRPCError;
  const failure = (error: unknown) => ({ jsonrpc: "2.0", id: null, error: toError(error) });
  try {
    validateVersion(context.requestedVersion, await handler.getAgentCard(), "JSONRPC");
  } catch (error) {
    return Response.json(failure(error));
  }
  const transport = legacy
    ? new LegacyJsonRpcTransportHandler(handler)
    : new JsonRpcTransportHandler(handler);
  const answer = await transport.handle(body, context);
  if (!(Symbol.asyncIterator in answer)) return Response.json(answer);
  // What is refused before there is a stream is an answer of its own.
  const events = answer[Symbol.asyncIterator]();
  try {
    const first = await events.next();
    return new Response(eventStream(first, events, failure), { headers: EVENT_STREAM_HEADERS });
  } catch (error) {
    return Response.json(failure(error));
  }
}

type Piece = IteratorResult<unknown, unknown>;

/** A reader that leaves ends nothing but the stream. */
function eventStream(
  first: Piece,
  events: AsyncGenerator<unknown, unknown>,
  failure: (error: unknown) => object,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let waiting: Piece | null = first;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const next = waiting ?? (await events.next());
        waiting = null;
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(formatSSEEvent(next.value)));
      } catch (error) {
        controller.enqueue(encoder.encode(formatSSEErrorEvent(failure(error))));
        controller.close();
      }
    },
    cancel: async () => {
      await events.return(undefined);
    },
  });
}
