import { type Context, Hono } from "hono";
import { checkConfigFile } from "../../core/config/check.ts";
import { type DocumentChange, diffConfig } from "../../core/config/diff.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import { rowOf } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { readBody, readJson } from "../body.ts";
import { putInstance, readConfig, replaceConfig, unreachedAgents } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { hubStub } from "../objects.ts";
import { knownScrubber } from "../wiring.ts";
import { keptVersion, rollbackBody, versionNumber } from "./versions.ts";

export const configRoutes = new Hono<AppEnv>()
  .get("/", async (context) => {
    const { instance, agents } = await wholeConfig(context.env);
    return context.json({ instance, agents });
  })
  .put("/", async (context) => {
    const checked = sound(context, await readJson(context));
    await replaceConfig(context.env, checked, (before) => {
      const details = changedPaths(diffConfig(before, checked));
      return rowOf(context, { action: "config.push", target: "config", details });
    });
    return context.json({
      ok: true,
      agents: checked.agents.map((agent) => agent.agentId),
      warnings: checked.warnings,
    });
  })
  /** What a push of this file would change. Nothing is written. */
  .post("/diff", async (context) => {
    const checked = sound(context, await readJson(context));
    const before = await readConfig(context.env);
    const { scrub } = knownScrubber(context.env, checked.instance.plainVars);
    const changes = masked(diffConfig(before, checked), scrub);
    const unreached = [...new Set([...before.unreadable, ...(await unreachedAgents(context.env))])].sort();
    return context.json({ changes, unreached, warnings: checked.warnings });
  })
  /** Of the instance's document, newest first. */
  .get("/versions", async (context) =>
    context.json({ versions: await again(() => hubStub(context.env).versions()) }),
  )
  .get("/versions/:version", async (context) => {
    const version = versionNumber(context.req.param("version"));
    return context.json(keptVersion(await again(() => hubStub(context.env).version(version))));
  })
  /** The old document is checked against the agents of today and becomes the newest version. */
  .post("/rollback", async (context) => {
    const { version } = await readBody(context, rollbackBody);
    const { document } = keptVersion(await again(() => hubStub(context.env).version(version)));
    const { agents, revision } = await wholeConfig(context.env);
    const { instance } = sound(context, { instance: document, agents });
    const act = rowOf(context, { action: "config.rollback", target: "instance", details: { version } });
    if (!(await putInstance(context.env, instance, { act, base: revision })))
      throw new ApiError("refused", "The config is being changed by others. Try again.");
    return context.json(instance);
  });

/** Throws where an agent's document is missing: whoever pushes again what lacks an agent takes it out of service. */
async function wholeConfig(env: Env) {
  const config = await readConfig(env);
  if (config.unreadable.length > 0)
    throw new ApiError("unavailable", `Documents that cannot be read now: ${config.unreadable.join(", ")}.`);
  return config;
}

function sound(context: Context<AppEnv>, document: unknown) {
  const checked = checkConfigFile(document, context.get("registry"));
  if (!checked.ok) throw new ApiError("bad_request", "The config has faults.", checked.issues);
  return checked;
}

/** For the log of administration: where something changed, not what stands there. */
export function changedPaths(changes: readonly DocumentChange[]): Record<string, unknown> {
  const named = (kind: DocumentChange["kind"]) =>
    changes.flatMap(({ agentId, kind: is }) => (is === kind && agentId !== null ? [agentId] : []));
  const changed = changes.filter(({ kind }) => kind === "changed");
  return {
    added: named("added"),
    removed: named("removed"),
    changed: Object.fromEntries(
      changed.map(({ agentId, changes: paths }) => [agentId ?? "instance", paths.map(({ path }) => path)]),
    ),
  };
}

function masked(changes: readonly DocumentChange[], scrub: (text: string) => string): DocumentChange[] {
  const mask = (text: string | null) => (text === null ? null : scrub(text));
  return changes.map((document) => ({
    ...document,
    changes: document.changes.map((change) => ({
      ...change,
      before: mask(change.before),
      after: mask(change.after),
    })),
  }));
}
