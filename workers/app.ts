/** The HTTP door: every route, behind its guard, with errors in one shape. */
import { type Context, Hono } from "hono";
import type { Registry } from "../core/registry.ts";
import type { Env } from "../durable-objects/env.ts";
import type { FetchKeys } from "./access/access-token.ts";
import { requireActor, requireRole } from "./access/guard.ts";
import { a2aRoutes } from "./api/a2a.ts";
import { adminRoutes } from "./api/admin.ts";
import { agentRoutes } from "./api/agents.ts";
import { analysisRoutes } from "./api/analysis.ts";
import { approvalRoutes } from "./api/approvals.ts";
import { backupRoutes } from "./api/backup.ts";
import { chainRoutes } from "./api/chains.ts";
import { configRoutes } from "./api/config.ts";
import { exportRoutes } from "./api/export.ts";
import { hookRoutes } from "./api/hooks.ts";
import { importRoutes } from "./api/import.ts";
import { jobRoutes } from "./api/jobs.ts";
import { liveRoutes } from "./api/live.ts";
import { logRoutes } from "./api/logs.ts";
import { mcpRoutes } from "./api/mcp.ts";
import { meRoutes } from "./api/me.ts";
import { mirrorRoutes } from "./api/mirror.ts";
import { openAiRoutes } from "./api/openai.ts";
import { pauseRoutes } from "./api/pause.ts";
import { recordRoutes } from "./api/record.ts";
import { rollupRoutes } from "./api/rollups.ts";
import { runRoutes } from "./api/runs.ts";
import { taskRoutes } from "./api/tasks.ts";
import { tokenRoutes } from "./api/tokens.ts";
import { toolRoutes } from "./api/tools.ts";
import { versionRoutes } from "./api/versions.ts";
import type { AppEnv } from "./app-env.ts";
import { limitBody } from "./body.ts";
import { ApiError, renderError } from "./errors.ts";
import { workerLog } from "./log.ts";
import { openAiShape } from "./openai/errors.ts";
import { countRowsRead } from "./server-timing.ts";
import { VERSION } from "./version.ts";

/** Builds the door of a Worker with these tools. `fetchKeys`: how the keys of Cloudflare Access are fetched. */
export function createApp(
  registry: (env: Env) => Registry,
  fetchKeys: FetchKeys = (url, init) => fetch(url, init),
): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(async (context, next) => {
    await next();
    context.header("X-Content-Type-Options", "nosniff");
    context.header("Cache-Control", "no-store");
    context.header("Referrer-Policy", "no-referrer");
    context.header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  });
  app.get("/api/health", (context) => {
    const build = context.env.CF_VERSION_METADATA?.id;
    if (build !== undefined) context.header("Parley-Version-Id", build);
    return context.json({ ok: true, version: VERSION });
  });
  app.use("/v1/*", async (context, next) => {
    context.set("errorShape", openAiShape);
    await next();
  });
  app.route("/hooks", hookRoutes);
  app.use(
    requireActor(fetchKeys),
    requireRole((context) => noRoute(app, context)),
  );
  app.use(limitBody, countRowsRead);
  app.use(async (context, next) => {
    context.set("registry", registry(context.env));
    await next();
  });
  addRoutes(app);
  app.notFound((context) => renderError(noRoute(app, context), context, workerLog(context.env)));
  app.onError((error, context) => renderError(error, context, workerLog(context.env)));
  return app;
}

function addRoutes(app: Hono<AppEnv>) {
  return app
    .route("/api/me", meRoutes)
    .route("/api/tokens", tokenRoutes)
    .route("/api/agents", agentRoutes)
    .route("/api/agents", toolRoutes)
    .route("/api/agents", versionRoutes)
    .route("/api/admin", adminRoutes)
    .route("/api/config", configRoutes)
    .route("/api/runs", runRoutes)
    .route("/api/chains", chainRoutes)
    .route("/api/chains", exportRoutes)
    .route("/api/live", liveRoutes)
    .route("/api/tasks", taskRoutes)
    .route("/api/logs", logRoutes)
    .route("/api/jobs", jobRoutes)
    .route("/api/approvals", approvalRoutes)
    .route("/v1", openAiRoutes)
    .route("/mcp", mcpRoutes)
    .route("/a2a", a2aRoutes)
    .route("/api/import", importRoutes)
    .route("/api/backup", backupRoutes)
    .route("/api/mirror", mirrorRoutes)
    .route("/api", pauseRoutes)
    .route("/api/admin/rollups", rollupRoutes)
    .route("/api", analysisRoutes)
    .route("/api", recordRoutes);
}

/** The routes with what they take and answer, for typed clients. */
export type Routes = ReturnType<typeof addRoutes>;

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;

function noRoute(app: Hono<AppEnv>, context: Context<AppEnv>): ApiError {
  const allowed = METHODS.filter((method) =>
    app.router.match(method, context.req.path)[0].some(([[, route]]) => route.method === method),
  );
  if (allowed.length === 0) return new ApiError("not_found", "There is no such route.");
  const asked = context.req.method === "HEAD" ? "GET" : context.req.method;
  if (allowed.some((method) => method === asked))
    return new ApiError("forbidden", "No role opens this route.");
  context.header("Allow", allowed.join(", "));
  return new ApiError("method_not_allowed", `This route takes ${allowed.join(", ")}.`);
}
