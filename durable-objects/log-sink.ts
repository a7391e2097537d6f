/** Where an object's log lines go: to the console at once, and gathered to D1. */
import { createLogger, describeError, type LogLine } from "../core/log.ts";
import { LogBuffer } from "../core/record/log-buffer.ts";
import { writeLog } from "../core/record/write-log.ts";
import { consoleSink } from "./console-sink.ts";
import type { Env } from "./env.ts";

export interface LogSink {
  /** Takes scrubbed lines; never throws. */
  readonly take: (line: LogLine) => void;
  /** Gives lines to a batch that goes to D1 anyway. */
  readonly ride: LogBuffer["ride"];
  /** Writes what was gathered; never rejects. */
  readonly flush: () => Promise<void>;
}

export function logSink(env: Env, scrub: (text: string) => string): LogSink {
  // Of lines that cannot be kept only the console hears: telling this sink would go on for ever.
  const last = createLogger({ module: "Core", now: Date.now, scrub, sink: consoleSink });
  const buffer = new LogBuffer({
    write: (lines) => writeLog(env.DB, lines),
    failed: (error) => last.warn(`Log lines could not be kept: ${describeError(error)}`),
    now: Date.now,
    later: (ms, work) => void setTimeout(work, ms),
  });
  const take = (line: LogLine) => {
    consoleSink(line);
    buffer.add(line);
  };
  return { take, ride: (write) => buffer.ride(write), flush: () => buffer.flush() };
}
