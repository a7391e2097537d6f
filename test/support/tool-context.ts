import { guardedFetch } from "../../core/outbound/guarded-fetch.ts";
import type { ToolChannels, ToolContext, ToolState } from "../../core/tool.ts";

export interface ToolContextOptions {
  readonly toolConfig?: unknown;
  readonly agentId?: string;
  readonly instanceId?: string;
  readonly signal?: AbortSignal;
  readonly state?: ToolState;
  /** Hosts that may be reached although they are local; missing: none. */
  readonly allow?: readonly string[];
  /** Missing: every channel is refused. */
  readonly channels?: ToolChannels;
  /** Missing: no recipient is an agent of ours. */
  readonly mailHeader?: ToolContext<unknown>["mailHeader"];
  /** Gets every log line's text, with the cause's message. */
  readonly log?: (text: string) => void;
}

const NOT_ALLOWED = {
  ok: false,
  code: "not_allowed",
  reason: "This agent may not use that channel.",
} as const;

/** A tool's context with valid defaults, its own empty state and a signal that never fires. */
export function toolContext(options: ToolContextOptions = {}): ToolContext<unknown> {
  const log = options.log ?? (() => {});
  const signal = options.signal ?? new AbortController().signal;
  return {
    agentId: options.agentId ?? "analyst",
    instanceId: options.instanceId ?? "test",
    toolConfig: options.toolConfig ?? {},
    signal,
    seconds: 60,
    fetch: guardedFetch({ fetch: (input, init) => fetch(input, init), allow: options.allow ?? [], signal }),
    channels: options.channels ?? { send: async () => NOT_ALLOWED },
    mailHeader: options.mailHeader ?? (async () => ({ ok: true, header: null })),
    state: options.state ?? memoryState(),
    logger: {
      debug: log,
      info: log,
      warn: log,
      error: (text, cause) => log(cause === undefined ? text : `${text} ${String(cause)}`),
    },
  };
}

/** An empty state of a tool, kept in memory. */
export function memoryState(): ToolState {
  const values = new Map<string, string>();
  return {
    get: async (key) => values.get(key) ?? null,
    set: async (key, value) => {
      values.set(key, value);
    },
    delete: async (key) => {
      values.delete(key);
    },
    list: async (prefix) => [...values.keys()].filter((key) => key.startsWith(prefix)).sort(),
  };
}
