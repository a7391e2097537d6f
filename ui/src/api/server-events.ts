/** Server-sent events out of a response's body, as the HTML standard frames them. */
export interface ServerEvent {
  /** Null where the event has none. */
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

interface Listener {
  /** For each piece that arrives, comments too. */
  heard?(): void;
  event(event: ServerEvent): void;
}

/** Reads to the stream's end. Throws what reading throws. */
export async function readServerEvents(body: ReadableStream<Uint8Array>, listener: Listener): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    listener.heard?.();
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== null) listener.event(event);
    }
  }
}

/** Null for a block without data: a comment or a mere setting. */
function parseBlock(block: string): ServerEvent | null {
  const lines = block.split("\n");
  const valuesOf = (name: string) =>
    lines
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trimStart());
  const data = valuesOf("data");
  if (data.length === 0) return null;
  return {
    id: valuesOf("id").at(-1) ?? null,
    event: valuesOf("event").at(-1) ?? "message",
    data: data.join("\n"),
  };
}
