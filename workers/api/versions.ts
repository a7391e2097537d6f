/** Versions of an agent's document, and going back to one. Below `/api/agents`. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import { checkAgent } from "../../core/config/check.ts";
import type { ConfigVersion } from "../../core/config/versions.ts";
import { isAgentId } from "../../core/ids.ts";
import { ownJson } from "../../core/journal/database.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import { rowOf } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { readBody } from "../body.ts";
import { instanceOf, putAgent } from "../config-store.ts";
import { ApiError, noAgent } from "../errors.ts";
import { agentStub, hubStub } from "../objects.ts";

export const rollbackBody = z.strictObject({ version: z.number().int().min(1) });
const VERSION = /^\d{1,15}$/;

export const versionRoutes = new Hono<AppEnv>()
  .get("/:agentId/versions", async (context) => {
    const agentId = await knownAgent(context.env, context.req.param("agentId"));
    const versions = await again(() => agentStub(context.env, agentId).versions());
    return context.json({ agentId, versions });
  })
  .get("/:agentId/versions/:version", async (context) => {
    const agentId = await knownAgent(context.env, context.req.param("agentId"));
    const kept = await versionOf(context.env, agentId, versionNumber(context.req.param("version")));
    return context.json({ agentId, ...kept });
  })
  /** The old document is checked like any other and becomes the newest version; an agent that was taken out comes back. */
  .post("/:agentId/rollback", async (context) => {
    const agentId = await knownAgent(context.env, context.req.param("agentId"));
    const { version } = await readBody(context, rollbackBody);
    const { document } = await versionOf(context.env, agentId, version);
    const checked = await checkBesideInstance(context, document);
    if (!checked.ok)
      throw new ApiError("bad_request", "That version is no valid document any more.", checked.issues);
    const act = rowOf(context, { action: "config.rollback", target: agentId, details: { version } });
    await putAgent(context.env, checked.agent, () => act);
    return context.json({ ...checked.agent, warnings: checked.warnings });
  });

/** As a push of the whole config would be checked: by the instance's rules of today too. */
export async function checkBesideInstance(context: Context<AppEnv>, document: unknown) {
  const instance = instanceOf(await again(() => hubStub(context.env).directory()));
  return checkAgent(document, context.get("registry"), instance);
}

/** Throws `not_found` for an id that never worked here; no object is made for it. */
async function knownAgent(env: Env, agentId: string): Promise<string> {
  if (!isAgentId(agentId)) throw noAgent();
  const known = await again(() => hubStub(env).everyAgentId());
  if (!known.includes(agentId)) throw noAgent();
  return agentId;
}

async function versionOf(env: Env, agentId: string, version: number) {
  return keptVersion(await again(() => agentStub(env, agentId).version(version)));
}

type KeptVersion = ConfigVersion & { readonly document: unknown };

/** As an object answers it, in JSON. Throws `not_found` for a version that is not kept. */
export function keptVersion(json: string): KeptVersion {
  const kept = ownJson<KeptVersion | null>(json);
  if (kept === null) throw new ApiError("not_found", "That version is not kept.");
  return kept;
}

export function versionNumber(text: string): number {
  if (!VERSION.test(text)) throw new ApiError("not_found", "That version is not kept.");
  return Number(text);
}
