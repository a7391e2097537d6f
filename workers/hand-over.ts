/**
 * Brings what the hub has decided to the agents' objects, and to KV. Safe to repeat, and by whomever: what a broken-off
 * change has left is told by the next one or by the minute's trigger.
 */
import { z } from "zod";
import type { Revisions } from "../core/agent/revisions.ts";
import type { AgentConfig } from "../core/config/agent.ts";
import { type InstanceConfig, instanceSchema } from "../core/config/instance.ts";
import type { Directory } from "../core/hub/directory.ts";
import type { HandedOver, Owed, OwnDocument } from "../core/hub/hand-over.ts";
import { ownJson } from "../core/journal/database.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { agentStub, hubStub } from "./objects.ts";

/** Before any config was loaded. */
export const DEFAULT_INSTANCE: InstanceConfig = instanceSchema.parse({ id: "parley" });

const agentKey = (agentId: string) => `agent:${agentId}`;
const metadataShape = z.object({ revision: z.number() });

/** Resolves when nothing is owed any more. Rejects when an object or KV could not be reached, after all others were. */
export async function handOver(env: Env): Promise<void> {
  // A round that settles nothing has told objects that cannot take it up; those that come into being meanwhile are another's.
  for (let goesOn = true; goesOn; ) goesOn = await tellEveryone(env);
}

async function tellEveryone(env: Env): Promise<boolean> {
  const failures: unknown[] = [];
  let settled = 0;
  for (let after: string | null = ""; after !== null; ) {
    const from: string = after;
    const { directory, owed } = await again(() => hubStub(env).owed(from));
    const answers = await Promise.allSettled(owed.map((each) => tell(env, directory, each)));
    const told = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    if (told.length > 0) settled += await again(async (): Promise<number> => hubStub(env).handedOver(told));
    for (const answer of answers) if (answer.status === "rejected") failures.push(answer.reason);
    after = owed.at(-1)?.agentId ?? null;
  }
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  return settled > 0;
}

async function tell(env: Env, directory: Directory, { agentId, own, shared }: Owed): Promise<HandedOver> {
  const alike = { directory: directory.agents, instance: directory.instance ?? DEFAULT_INSTANCE };
  let revisions: Revisions | null = null;
  if (own !== null) {
    const { json, revision, actor } = own;
    const documents = json === null ? null : { agent: ownJson<AgentConfig>(json), ...alike };
    revisions = await again(() => agentStub(env, agentId).configure(documents, revision, actor));
    await keepInKv(env, agentId, own);
  }
  if (shared !== null)
    revisions = await again(() => agentStub(env, agentId).share(alike, directory.revision));
  return { agentId, revisions: revisions ?? { documents: 0, directory: 0, instance: 0 } };
}

async function keepInKv(env: Env, agentId: string, { json, revision }: OwnDocument): Promise<void> {
  if (json === null) await env.CONFIG.delete(agentKey(agentId));
  else await env.CONFIG.put(agentKey(agentId), json, { metadata: { revision } });
}

/** What KV has of an agent, unread: null when there is nothing, or only what is older than that revision. */
export async function keptInKv(env: Env, agentId: string, revision: number): Promise<unknown> {
  const { value, metadata } = await env.CONFIG.getWithMetadata(agentKey(agentId), "json");
  const kept = metadataShape.safeParse(metadata);
  return (kept.success ? kept.data.revision : 0) < revision ? null : value;
}
