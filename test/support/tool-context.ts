import type { ToolContext, ToolState } from "../../core/tool.ts";

export interface ToolContextOptions {
  readonly toolConfig?: unknown;
  readonly agentId?: string;
  readonly instanceId?: string;
  readonly signal?: AbortSignal;
  readonly state?: ToolState;
  /** Gets every log line's text, with the cause's message. */
  readonly log?: (text: string) => void;
}

/** A tool's context with valid defaults, its own empty state and a signal that never fires. */
export function toolContext(options: ToolContextOptions = {}): ToolContext<unknown> {
  const log = options.log ?? (() => {});
  return {
    agentId: options.agentId ?? "analyst",
    instanceId: options.instanceId ?? "test",
    toolConfig: options.toolConfig ?? {},
    signal: options.signal ?? new AbortController().signal,
    state: options.state ?? memoryState(),
    logger: {
      debug: log,
      info: log,
      warn: log,
      error: (text, cause) => log(cause === undefined ? text : `${text} ${String(cause)}`),
    },
  };
}

function memoryState(): ToolState {
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
