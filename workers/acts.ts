/** The log of administration: one call for every route that changes something in the instance. */
import type { Context } from "hono";
import { type Act, type ActRow, actRow } from "../core/admin/act.ts";
import { again } from "../durable-objects/again.ts";
import { actorOf } from "./access/actor.ts";
import type { AppEnv } from "./app-env.ts";
import { hubStub } from "./objects.ts";
import { personActId } from "./person.ts";
import { knownScrubber } from "./wiring.ts";

/**
 * Writes down that the request's actor has done this: call it when it is done, and before the answer. Durable once it
 * resolves, also while D1 is away.
 */
export async function recordAct(context: Context<AppEnv>, act: Act): Promise<void> {
  const row = rowOf(context, act);
  await again(() => hubStub(context.env).recordAct(row));
}

/** The same for what is done in pieces or may be done without end: once an hour for each actor and target. */
export async function recordActOnce(context: Context<AppEnv>, act: Act): Promise<void> {
  const row = rowOf(context, act);
  await again(() => hubStub(context.env).recordActOnce(row));
}

/** The same for a change that the hub makes: it writes the row in the change's own transaction. */
export function rowOf(context: Context<AppEnv>, act: Act): ActRow {
  return actRow(act, {
    uid: personActId(),
    actor: actorName(context),
    now: Date.now(),
    scrub: knownScrubber(context.env, []).scrub,
  });
}

/** As the log of administration calls the request's actor. */
export function actorName(context: Context<AppEnv>): string {
  const { kind, name } = actorOf(context);
  return kind === "api_token" ? name : `${kind}:${name}`;
}
