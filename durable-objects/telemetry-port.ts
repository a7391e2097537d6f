/** The way to the operator's tracing backend, and the runtime's own spans. */
import * as workers from "cloudflare:workers";
import type { SendSpans } from "../core/telemetry/exporter.ts";
import type { SpanScope } from "../core/telemetry/scope.ts";
import { sendSpans } from "../core/telemetry/send.ts";
import { present } from "../core/telemetry/span.ts";
import type { Env } from "./env.ts";

export function telemetryPort(env: Env): SendSpans {
  const world = {
    fetch: (input: string | URL, init?: RequestInit) => fetch(input, init),
    secrets: { ...env },
    now: Date.now,
  };
  return (config, body) => sendSpans(world, config, body);
}

/** Workers traces; a runtime without them only runs the work. */
export const workersSpan: SpanScope = (span, work) => {
  if (!("tracing" in workers)) return work(() => undefined);
  return workers.tracing.enterSpan(span.name, (open) => {
    open.setAttributes(present(span.attributes));
    return work((more) => void open.setAttributes(present(more)));
  });
};

/** Whether the present invocation is recorded. Where the runtime cannot tell, it may be. */
export function isTraced(): boolean {
  return "tracing" in workers && workers.tracing.getActiveSpan()?.isTraced !== false;
}
