/** The HTTP door: every route, behind the token, with errors in one shape. */
import { Hono } from "hono";
import { createLogger } from "../core/log.ts";
import { consoleSink } from "../durable-objects/console-sink.ts";
import type { Env } from "../durable-objects/env.ts";
import { agentRoutes } from "./api/agents.ts";
import { chainRoutes } from "./api/chains.ts";
import { configRoutes } from "./api/config.ts";
import { liveRoutes } from "./api/live.ts";
import { pauseRoutes } from "./api/pause.ts";
import { recordRoutes } from "./api/record.ts";
import { runRoutes } from "./api/runs.ts";
import type { AppEnv } from "./app-env.ts";
import { requireToken } from "./auth.ts";
import { ApiError, renderError } from "./errors.ts";
import { VERSION } from "./version.ts";
import { knownScrubber } from "./wiring.ts";

export const app = new Hono<AppEnv>();

app.use(async (context, next) => {
  await next();
  context.header("X-Content-Type-Options", "nosniff");
  context.header("Cache-Control", "no-store");
});

app.get("/api/health", (context) => context.json({ ok: true, version: VERSION }));
app.use(requireToken);
app.route("/api/agents", agentRoutes);
app.route("/api/config", configRoutes);
app.route("/api/runs", runRoutes);
app.route("/api/chains", chainRoutes);
app.route("/api/live", liveRoutes);
app.route("/api", pauseRoutes);
app.route("/api", recordRoutes);

app.notFound((context) =>
  renderError(new ApiError("not_found", "There is no such route."), context, workerLog(context.env)),
);
app.onError((error, context) => renderError(error, context, workerLog(context.env)));

function workerLog(env: Env) {
  const scrubber = knownScrubber(env, []);
  return createLogger({
    module: "Worker",
    now: Date.now,
    scrub: (text) => scrubber.scrub(text),
    sink: consoleSink,
  });
}
