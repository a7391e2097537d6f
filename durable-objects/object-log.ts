/** What the hub and the chains have to say: they have no world of an agent. */
import { createLogger, type Logger } from "../core/log.ts";
import { createScrubber, knownSecrets } from "../core/scrub/index.ts";
import type { Env } from "./env.ts";
import { logSink } from "./log-sink.ts";

/** To be made where something is said: a scrubber costs more than a line. */
export function objectLog(env: Env): Logger {
  const { scrub } = createScrubber(knownSecrets({ ...env }, []));
  return createLogger({ module: "Core", now: Date.now, scrub, sink: logSink(env, scrub).take });
}
