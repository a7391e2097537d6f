import type { Board } from "../core/board/board.ts";
import { createLogger } from "../core/log.ts";
import { boardPort } from "../durable-objects/board-port.ts";
import { consoleSink } from "../durable-objects/console-sink.ts";
import type { Env } from "../durable-objects/env.ts";
import { knownScrubber } from "./wiring.ts";

/** The taskboard as the Worker's doors reach it. */
export function workerBoard(env: Env): Board {
  const scrubber = knownScrubber(env, []);
  const log = createLogger({
    module: "Worker",
    now: Date.now,
    scrub: (text) => scrubber.scrub(text),
    sink: consoleSink,
  });
  return boardPort(env, log);
}
