import { Hono } from "hono";
import { checkConfigFile } from "../../core/config/check.ts";
import type { AppEnv } from "../app-env.ts";
import { readJson } from "../body.ts";
import { readConfig, replaceConfig } from "../config-store.ts";
import { ApiError } from "../errors.ts";

export const configRoutes = new Hono<AppEnv>()
  .get("/", async (context) => context.json(await readConfig(context.env)))
  .put("/", async (context) => {
    const checked = checkConfigFile(await readJson(context), context.get("registry"));
    if (!checked.ok) throw new ApiError("bad_request", "The config has faults.", checked.issues);
    await replaceConfig(context.env, checked);
    return context.json({
      ok: true,
      agents: checked.agents.map((agent) => agent.agentId),
      warnings: checked.warnings,
    });
  });
