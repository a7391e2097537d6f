import { openLive } from "./api.ts";

/** Told of each live event, and of the stream's coming and going. */
export interface LiveListener {
  onEvent(): void;
  onState(open: boolean): void;
}

const AGAIN_MS = 5_000;

/** Follows the live stream until the signal aborts, opening it again whenever it ends. */
export async function followLive(token: string, listener: LiveListener, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const stream = await openLive(token, signal);
    if (stream !== null) {
      listener.onState(true);
      await readEvents(stream, listener.onEvent);
      listener.onState(false);
    }
    await pause(AGAIN_MS, signal);
  }
}

/** Calls back once per event that carries data; comments that keep the stream open are none. */
async function readEvents(stream: ReadableStream<Uint8Array>, onEvent: () => void): Promise<void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (lines.some((line) => line.startsWith("data:"))) onEvent();
    }
  } catch {
    // The connection broke or was closed on purpose; the caller opens it again if it still wants it.
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    const timer = setTimeout(settle, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      settle();
    });
  });
}
