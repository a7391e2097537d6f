/**
 * Where config documents live: KV keeps them, the agents' objects work by them. Each change is handed to the
 * objects at once, since KV may answer with an old document for a minute. The hub puts changes in order: its
 * revision goes with them, and an object keeps the newest.
 */

import { type AgentConfig, agentSchema } from "../core/config/agent.ts";
import { type InstanceConfig, instanceSchema } from "../core/config/instance.ts";
import type { DirectoryEntry, Documents } from "../core/engine/world.ts";
import type { Directory } from "../core/hub/directory.ts";
import { ownJson } from "../core/journal/database.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { noAgent } from "./errors.ts";
import { agentStub, hubStub } from "./objects.ts";

const INSTANCE_KEY = "instance";
const agentKey = (agentId: string) => `agent:${agentId}`;

/** Before any config was loaded. */
const DEFAULT_INSTANCE: InstanceConfig = instanceSchema.parse({ id: "parley" });

/** The instance's document as it is in force. */
export function instanceOf(directory: Pick<Directory, "instance">): InstanceConfig {
  return directory.instance ?? DEFAULT_INSTANCE;
}

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
  const { instance } = config;
  const { agents: directory, revision } = await again(() =>
    hubStub(env).setDirectory({ agents: config.agents.map(entryOf), instance }),
  );
  await Promise.all([
    ...config.agents.map((agent) =>
      again(() => agentStub(env, agent.agentId).configure({ agent, instance, directory }, revision)),
    ),
    ...removed.map((entry) => again(() => agentStub(env, entry.agentId).configure(null, revision))),
  ]);
}

/** Adds or changes one agent. */
export async function putAgent(env: Env, agent: AgentConfig): Promise<void> {
  const entry = entryOf(agent);
  const [before] = await Promise.all([
    again(() => hubStub(env).directory()),
    env.CONFIG.put(agentKey(agent.agentId), JSON.stringify(agent)),
  ]);
  const directory = await again(() => hubStub(env).putEntry(entry));
  const instance = directory.instance ?? DEFAULT_INSTANCE;
  await again(() =>
    agentStub(env, agent.agentId).configure(
      { agent, instance, directory: directory.agents },
      directory.revision,
    ),
  );
  const known = before.agents.find((candidate) => candidate.agentId === agent.agentId);
  if (JSON.stringify(known) !== JSON.stringify(entry)) await spreadDirectory(env, directory);
}

export async function removeAgent(env: Env, agentId: string): Promise<void> {
  await env.CONFIG.delete(agentKey(agentId));
  const directory = await again(() => hubStub(env).deleteEntry(agentId));
  await again(() => agentStub(env, agentId).configure(null, directory.revision));
  await spreadDirectory(env, directory);
}

/** Gives an object its documents back from KV. False when there are none. */
export async function restoreAgent(env: Env, agentId: string): Promise<boolean> {
  const { agents, instance, revision } = await again(() => hubStub(env).directory());
  if (!agents.some((entry) => entry.agentId === agentId)) return false;
  const stored = agentSchema.safeParse(await env.CONFIG.get(agentKey(agentId), "json"));
  if (!stored.success) return false;
  await again(() =>
    agentStub(env, agentId).configure(
      { agent: stored.data, instance: instance ?? DEFAULT_INSTANCE, directory: agents },
      revision,
    ),
  );
  return true;
}

/** Throws `not_found` for an agent that the instance does not have; no object is made for it. */
export async function requireAgent(env: Env, agentId: string): Promise<void> {
  const { agents } = await again(() => hubStub(env).directory());
  if (!agents.some((entry) => entry.agentId === agentId)) throw noAgent();
}

/** The document in force. */
export async function readAgent(env: Env, agentId: string): Promise<AgentConfig | null> {
  const documents = await documentsOf(env, agentId);
  if (documents !== null) return documents.agent;
  return (await restoreAgent(env, agentId)) ? ((await documentsOf(env, agentId))?.agent ?? null) : null;
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

/** Tells everybody who works here now, and again if that has changed meanwhile: the last word is the newest. */
async function spreadDirectory(env: Env, directory: Directory): Promise<void> {
  for (let known: Directory | null = directory; known !== null; ) {
    const { agents, revision }: Directory = known;
    await Promise.all(
      agents.map((entry) => again(() => agentStub(env, entry.agentId).setDirectory(agents, revision))),
    );
    const now = await again(() => hubStub(env).directory());
    known = JSON.stringify(now.agents) === JSON.stringify(agents) ? null : now;
  }
}

function entryOf(agent: AgentConfig): DirectoryEntry {
  return { agentId: agent.agentId, name: agent.name, description: agent.description };
}
