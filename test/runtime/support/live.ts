/** A viewer of the live feed. */
import { z } from "zod";
import { request } from "./api.ts";

const eventShape = z.looseObject({
  type: z.string().optional(),
  state: z.string().optional(),
  runId: z.string().optional(),
  agentId: z.string().optional(),
  receipt: z.looseObject({}).nullable().optional(),
  message: z
    .looseObject({
      uid: z.string(),
      fromAgentId: z.string(),
      direction: z.string(),
      content: z.string(),
      truncated: z.boolean(),
    })
    .optional(),
  notice: z.looseObject({ kind: z.string() }).optional(),
});

export interface Seen {
  readonly id: number | null;
  readonly event: string;
  readonly data: z.infer<typeof eventShape>;
}

export interface Viewer {
  /** Reads on until an event fits; answers all that were read since the viewer came. Throws when the feed ends. */
  until(fits: (seen: Seen) => boolean): Promise<readonly Seen[]>;
  leave(): Promise<void>;
}

export async function watchLive(headers: Readonly<Record<string, string>> = {}, query = ""): Promise<Viewer> {
  const response = await request(`/api/live${query}`, { headers });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!response.ok || reader === undefined) throw new Error(`No live feed: ${response.status}`);
  const seen: Seen[] = [];
  let text = "";
  const readMore = async () => {
    const piece = await reader.read();
    if (piece.done) throw new Error("The live feed has ended");
    const blocks = `${text}${piece.value}`.split("\n\n");
    text = blocks.pop() ?? "";
    seen.push(...blocks.flatMap(parseBlock));
  };
  return {
    until: async (fits) => {
      while (!seen.some(fits)) await readMore();
      return seen;
    },
    leave: () => reader.cancel(),
  };
}

function parseBlock(block: string): Seen[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? null;
  const event = field("event");
  if (event === null) return [];
  const id = field("id");
  return [
    { id: id === null ? null : Number(id), event, data: eventShape.parse(JSON.parse(field("data") ?? "")) },
  ];
}

/** The end of that run. */
export function ended(runId: string): (seen: Seen) => boolean {
  return ({ event, data }) => event === "run" && data.runId === runId && data.state === "ended";
}

/** Events in short: `run a started`, `message a request`, `notice chain_frozen`, `reset`. */
export function inShort({ event, data }: Seen): string {
  if (event === "run") return `run ${data.agentId} ${data.state}`;
  if (event === "message") return `message ${data.message?.fromAgentId} ${data.message?.direction}`;
  return event === "notice" ? `notice ${data.notice?.kind}` : event;
}
