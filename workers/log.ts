/** The Worker's own log lines: to the console, and within bounds to D1. */
import { waitUntil } from "cloudflare:workers";
import { createLogger, describeError, type Logger, type LogLine } from "../core/log.ts";
import { LogLimit } from "../core/record/log-limit.ts";
import { writeLog } from "../core/record/write-log.ts";
import { consoleSink } from "../durable-objects/console-sink.ts";
import type { Env } from "../durable-objects/env.ts";
import { knownScrubber } from "./wiring.ts";

/** One isolate's; requests may come in storms. */
const limit = new LogLimit();

/** For one request or one minute's work. */
export function workerLog(env: Env, plainVars: readonly string[] = []): Logger {
  const { scrub } = knownScrubber(env, plainVars);
  const logger = (sink: (line: LogLine) => void) =>
    createLogger({ module: "Worker", now: Date.now, scrub, sink });
  const last = logger(consoleSink);
  return logger((line) => {
    consoleSink(line);
    const lines = limit.admit(line, Date.now());
    if (lines.length === 0) return;
    waitUntil(
      writeLog(env.DB, lines).catch((error: unknown) =>
        last.warn(`Log lines could not be kept: ${describeError(error)}`),
      ),
    );
  });
}
