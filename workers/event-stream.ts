/** Server-sent events, as answers and out of what a door tells in its client's way. */

export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "X-Accel-Buffering": "no",
} as const;

export function eventStreamResponse(events: ReadableStream<Uint8Array>): Response {
  return new Response(events, { headers: EVENT_STREAM_HEADERS });
}

/** So that proxies and clients keep a stream open in which nothing happens. */
const HEARTBEAT_MS = 20_000;
const HEARTBEAT = ": still here\n\n";

/**
 * Whole events, as they come. A reader that leaves ends nothing but the stream: `leave` tells those who wait for the
 * next event, since a generator that waits cannot be ended from outside.
 */
export function eventStream(
  events: AsyncGenerator<string, unknown>,
  leave: AbortController,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  const stop = () => clearInterval(heartbeat);
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      heartbeat = setInterval(() => {
        // A reader that has not taken the last event yet is sent no more.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(HEARTBEAT));
      }, HEARTBEAT_MS);
    },
    pull: async (controller) => {
      const next = await events.next().catch((error: unknown) => {
        stop();
        throw error;
      });
      if (leave.signal.aborted) return;
      if (next.done !== true) return controller.enqueue(encoder.encode(next.value));
      stop();
      controller.close();
    },
    cancel: () => {
      stop();
      leave.abort();
      events.return(undefined).catch(() => undefined);
    },
  });
}
