/**
 * Where config documents live: KV keeps them, the agents' objects work by them. Each change is handed to the
 * objects at once, since KV may answer with an old document for a minute.
 */

import { type AgentConfig, agentSchema } from "../core/config/agent.ts";
import { type InstanceConfig, instanceSchema } from "../core/config/instance.ts";
import type { DirectoryEntry, Documents } from "../core/engine/world.ts";
import type { Directory } from "../core/hub/directory.ts";
import { ownJson } from "../core/journal/database.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { agentStub, hubStub } from "./objects.ts";

const INSTANCE_KEY = "instance";
const agentKey = (agentId: string) => `agent:${agentId}`;

/** Before any config was loaded. */
const DEFAULT_INSTANCE: InstanceConfig = instanceSchema.parse({ id: "parley" });

/** Replaces the whole config: agents that are not in it are taken out of service. */
export async function replaceConfig(
  env: Env,
  config: { readonly instance: InstanceConfig; readonly agents: readonly AgentConfig[] },
): Promise<void> {
  const before = await again(() => hubStub(env).directory());
  const kept = new Set(config.agents.map((agent) => agent.agentId));
  const removed = before.agents.filter((entry) => !kept.has(entry.agentId));
  await Promise.all([
    env.CONFIG.put(INSTANCE_KEY, JSON.stringify(config.instance)),
    ...config.agents.map((agent) => env.CONFIG.put(agentKey(agent.agentId), JSON.stringify(agent))),
    ...removed.map((entry) => env.CONFIG.delete(agentKey(entry.agentId))),
  ]);
  const directory = config.agents.map(entryOf);
  await again(() => hubStub(env).setDirectory({ agents: directory, instance: config.instance }));
  await Promise.all([
    ...config.agents.map((agent) =>
      again(() => agentStub(env, agent.agentId).configure({ agent, instance: config.instance, directory })),
    ),
    ...removed.map((entry) => again(() => agentStub(env, entry.agentId).configure(null))),
  ]);
}

/** Adds or changes one agent. */
export async function putAgent(env: Env, agent: AgentConfig): Promise<void> {
  const { agents, instance } = await again(() => hubStub(env).directory());
  await env.CONFIG.put(agentKey(agent.agentId), JSON.stringify(agent));
  const entry = entryOf(agent);
  const others = agents.filter((known) => known.agentId !== agent.agentId);
  const directory = await again(() => hubStub(env).setDirectory({ agents: [...others, entry].sort(byId) }));
  const documents = { agent, instance: instance ?? DEFAULT_INSTANCE, directory: directory.agents };
  await again(() => agentStub(env, agent.agentId).configure(documents));
  const known = agents.find((candidate) => candidate.agentId === agent.agentId);
  if (JSON.stringify(known) !== JSON.stringify(entry)) await spreadDirectory(env, directory, agent.agentId);
}

export async function removeAgent(env: Env, agentId: string): Promise<void> {
  const { agents } = await again(() => hubStub(env).directory());
  await env.CONFIG.delete(agentKey(agentId));
  const directory = await again(() =>
    hubStub(env).setDirectory({
      agents: agents.filter((entry) => entry.agentId !== agentId),
    }),
  );
  await again(() => agentStub(env, agentId).configure(null));
  await spreadDirectory(env, directory, agentId);
}

/** Gives an object its documents back from KV. False when there are none. */
export async function restoreAgent(env: Env, agentId: string): Promise<boolean> {
  const { agents, instance } = await again(() => hubStub(env).directory());
  if (!agents.some((entry) => entry.agentId === agentId)) return false;
  const stored = agentSchema.safeParse(await env.CONFIG.get(agentKey(agentId), "json"));
  if (!stored.success) return false;
  await again(() =>
    agentStub(env, agentId).configure({
      agent: stored.data,
      instance: instance ?? DEFAULT_INSTANCE,
      directory: agents,
    }),
  );
  return true;
}

export async function readAgent(env: Env, agentId: string): Promise<AgentConfig | null> {
  return (await documentsOf(env, agentId))?.agent ?? null;
}

async function documentsOf(env: Env, agentId: string): Promise<Documents | null> {
  const json = await again(() => agentStub(env, agentId).documents());
  return json === null ? null : ownJson<Documents>(json);
}

/** The whole config as a file holds it. */
export async function readConfig(env: Env) {
  const { agents, instance } = await again(() => hubStub(env).directory());
  const documents = await Promise.all(agents.map((entry) => readAgent(env, entry.agentId)));
  return { instance: instance ?? DEFAULT_INSTANCE, agents: documents.filter((agent) => agent !== null) };
}

/** Tells everybody else who works here now. */
async function spreadDirectory(env: Env, directory: Directory, except: string): Promise<void> {
  const others = directory.agents.filter((entry) => entry.agentId !== except);
  await Promise.all(
    others.map(async (entry) => {
      const documents = await documentsOf(env, entry.agentId);
      if (documents === null) return;
      await again(() =>
        agentStub(env, entry.agentId).configure({ ...documents, directory: directory.agents }),
      );
    }),
  );
}

function entryOf(agent: AgentConfig): DirectoryEntry {
  return { agentId: agent.agentId, name: agent.name, description: agent.description };
}

function byId(a: DirectoryEntry, b: DirectoryEntry): number {
  return a.agentId < b.agentId ? -1 : 1;
}
