import type { LogLine } from "../core/log.ts";

/** Workers Logs: one JSON object a line. */
export function consoleSink(line: LogLine): void {
  // biome-ignore lint/suspicious/noConsole: this is the one place where log lines leave the Worker
  console[line.level](JSON.stringify(line));
}
