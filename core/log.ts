/** Structured logging by module. Sinks get scrubbed text only. */

/** From what only a developer wants to know to what somebody must look at. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogLine {
  readonly at: string;
  readonly module: string;
  readonly level: LogLevel;
  readonly agentId: string | null;
  readonly runId: string | null;
  readonly text: string;
}

export interface Logger {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string, cause?: unknown): void;
}

export interface LoggerOptions {
  /** `Core`, `Worker` or `Tool_<Name>`. */
  readonly module: string;
  readonly agentId?: string;
  readonly runId?: string;
  readonly now: () => number;
  readonly scrub: (text: string) => string;
  readonly sink: (line: LogLine) => void;
}

/** Builds a logger; an error's message and cause are appended to the text, its stack never is. */
export function createLogger(options: LoggerOptions): Logger {
  const write = (level: LogLevel, text: string) =>
    options.sink({
      at: new Date(options.now()).toISOString(),
      module: options.module,
      level,
      agentId: options.agentId ?? null,
      runId: options.runId ?? null,
      text: options.scrub(text),
    });
  return {
    debug: (text) => write("debug", text),
    info: (text) => write("info", text),
    warn: (text) => write("warn", text),
    error: (text, cause) => write("error", cause === undefined ? text : `${text}: ${describeError(cause)}`),
  };
}

/** A chain of causes may be a ring. */
const MAX_CAUSES = 8;

/** The message of anything thrown, with its causes, without stacks. Never throws, whatever was thrown. */
export function describeError(error: unknown): string {
  try {
    return describe(error, MAX_CAUSES);
  } catch {
    return "something that has no text was thrown";
  }
}

function describe(error: unknown, causes: number): string {
  if (!(error instanceof Error)) return String(error);
  const message = String(error.message);
  return error.cause === undefined || causes === 0
    ? message
    : `${message} (${describe(error.cause, causes - 1)})`;
}
