/** A webhook's call, on the side of the agent's object: one delivery, one run. */
import { acceptRun } from "../agent/agent.ts";
import type { Webhook } from "../config/webhooks.ts";
import type { World } from "../engine/world.ts";
import { rootLineage } from "../lineage.ts";
import { deliveredRun, rememberDelivery } from "./deliveries.ts";
import { hookMessage } from "./template.ts";

/** How the calls of a webhook are checked. */
export interface HookLock {
  readonly name: string;
  /** The name of its secret. */
  readonly secret: string;
  readonly bodyOnly: boolean;
}

/** Of the webhooks that are switched on. */
export function hookLocks(world: World): HookLock[] {
  return openHooks(world).map(({ name, secret, bodyOnly }) => ({ name, secret: secret.$secret, bodyOnly }));
}

/** A call whose signature is right. */
export interface HookDelivery {
  readonly name: string;
  readonly marks: readonly string[];
  readonly body: string;
  /** Name in lower case and value. */
  readonly headers: readonly (readonly [string, string])[];
}

export type TakenDelivery =
  | { readonly ok: true; readonly runId: string; readonly repeated: boolean }
  | { readonly ok: false; readonly code: "unknown" | "queue_full" };

/** A delivery that comes again starts nothing and is told its first run. */
export function takeDelivery(world: World, delivery: HookDelivery): TakenDelivery {
  const hook = findHook(world, delivery.name);
  if (hook === null) return { ok: false, code: "unknown" };
  const now = world.now();
  const known = { hook: hook.name, marks: delivery.marks };
  const before = deliveredRun(world.db, known, now);
  if (before !== null) {
    // A sender's own retry has another timestamp, and what was signed with that must not come again either.
    world.db.transaction(() => rememberDelivery(world.db, known, { runId: before, now }));
    return { ok: true, runId: before, repeated: true };
  }
  const runId = world.newRunId(world.objectName);
  const accepted = acceptRun(world, newRun(world, { runId, hook, delivery }), () =>
    rememberDelivery(world.db, known, { runId, now }),
  );
  if (accepted.ok) return { ok: true, runId, repeated: false };
  return { ok: false, code: accepted.code === "queue_full" ? "queue_full" : "unknown" };
}

function findHook(world: World, name: string): Webhook | null {
  return openHooks(world).find((hook) => hook.name === name) ?? null;
}

function openHooks(world: World): Webhook[] {
  return (world.documents()?.agent.webhooks ?? []).filter(({ enabled }) => enabled);
}

interface NewHookRun {
  readonly runId: string;
  readonly hook: Webhook;
  readonly delivery: HookDelivery;
}

function newRun(world: World, { runId, hook, delivery }: NewHookRun) {
  const { name, body, headers } = delivery;
  const content = { name, template: hook.template ?? null, body, headers: new Map(headers) };
  return {
    runId,
    trigger: "webhook",
    lane: hook.stateless ? "isolated" : "conversation",
    priority: 0,
    lineage: rootLineage(runId),
    input: hookMessage(content, (value) => world.scrubber.scrubJson(value)),
    maxSteps: null,
    deadlineAt: null,
    taskId: null,
  } as const;
}
