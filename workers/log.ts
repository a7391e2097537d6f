/** The Worker's own log lines: to the console at once, and gathered to D1. */
import { waitUntil } from "cloudflare:workers";
import { createLogger, describeError, type Logger, type LogLine } from "../core/log.ts";
import { LogBuffer } from "../core/record/log-buffer.ts";
import { LogLimit } from "../core/record/log-limit.ts";
import { writeLog } from "../core/record/write-log.ts";
import { consoleSink } from "../durable-objects/console-sink.ts";
import type { Env } from "../durable-objects/env.ts";
import { knownScrubber } from "./wiring.ts";

/** One isolate's; requests may come in storms. */
const sharedLimit = new LogLimit();

/** For one request or one minute's work: what it says goes to D1 in one batch. Its invocation lives until then. */
export function workerLog(env: Env, plainVars: readonly string[] = []): Logger {
  const { scrub } = knownScrubber(env, plainVars);
  const logger = (sink: (line: LogLine) => void) =>
    createLogger({ module: "Worker", now: Date.now, scrub, sink });
  const last = logger(consoleSink);
  const writing: Promise<void>[] = [];
  const buffer = new LogBuffer({
    write: (lines) => {
      const written = writeLog(env.DB, lines);
      writing.push(written.catch(() => undefined));
      return written;
    },
    failed: (error) => last.warn(`Log lines could not be kept: ${describeError(error)}`),
    now: Date.now,
    later: (ms, work) => waitUntil(after(ms, work).then(() => Promise.all(writing))),
    sharedLimit,
  });
  return logger((line) => {
    consoleSink(line);
    buffer.add(line);
  });
}

function after(ms: number, work: () => void): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms)).then(work);
}
