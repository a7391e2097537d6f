/**
 * A tracing backend on the model server, so that tests in the Workers runtime need no second one. What is posted to
 * `/collector/<key>/v1/traces` is kept and read back from `/collected/<key>`; a key `status-<n>-...` is answered with that
 * status and something that is no OTLP at all, `reset-...` with a broken connection. Other requests that belong to a
 * trace are kept under `traced-requests`.
 */
import { json, type ModelHandler, type ReceivedRequest, text } from "./model-server.ts";

const POSTED = /\/collector\/([^/]+)\/v1\/traces$/;
const READ = /\/collected\/([^/]+)$/;
const TRACED = "traced-requests";

/** Answers requests of the collector, and leaves the others to `otherwise`. */
export function withCollector(otherwise: ModelHandler): ModelHandler {
  const kept = new Map<string, ReceivedRequest[]>();
  return (request, earlier) => {
    const read = READ.exec(request.path)?.[1];
    if (read !== undefined) return json(kept.get(read) ?? []);
    const key = POSTED.exec(request.path)?.[1];
    const keep = (under: string) => kept.set(under, [...(kept.get(under) ?? []), request]);
    if (key === undefined) {
      if (request.headers.traceparent !== undefined) keep(TRACED);
      return otherwise(request, earlier);
    }
    keep(key);
    if (key.startsWith("reset-")) return "reset";
    const status = /^status-(\d+)/.exec(key)?.[1];
    return status === undefined
      ? json({ partialSuccess: {} })
      : text("<html>\0 no OTLP", Number(status), {
          "content-type": "text/html",
          location: "/collector/elsewhere",
        });
  };
}
