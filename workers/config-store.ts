/**
 * Where config documents live: the hub puts changes in order and keeps what is owed to the agents' objects, which work
 * by them. KV has copies, for an object that has lost its own.
 */

import type { ActRow } from "../core/admin/act.ts";
import { type AgentConfig, agentSchema } from "../core/config/agent.ts";
import type { InstanceConfig } from "../core/config/instance.ts";
import type { Documents } from "../core/engine/world.ts";
import type { Directory } from "../core/hub/directory.ts";
import { ownJson } from "../core/journal/database.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { noAgent } from "./errors.ts";
import { DEFAULT_INSTANCE, handOver, keptInKv } from "./hand-over.ts";
import { agentStub, hubStub } from "./objects.ts";

const INSTANCE_KEY = "instance";

/** The instance's document as it is in force. */
export function instanceOf(directory: Pick<Directory, "instance">): InstanceConfig {
  return directory.instance ?? DEFAULT_INSTANCE;
}

export interface Config {
  readonly instance: InstanceConfig;
  readonly agents: readonly AgentConfig[];
}

/** Replaces the whole config: agents that are not in it are taken out of service. `actOf` is told what it replaces. */
export async function replaceConfig(
  env: Env,
  { instance, agents }: Config,
  actOf: (before: Config) => ActRow,
): Promise<void> {
  const content = { agents: agents.map(withEntry), instance };
  const revision = await onNewest(env, async (isLast) => {
    const before = await readConfig(env);
    const by = { act: actOf(before), base: isLast ? null : before.revision };
    return again(async (): Promise<number | null> => hubStub(env).setDirectory(content, by));
  });
  await keepInstance(env, instance, revision);
  await handOver(env);
}

/** Adds or changes one agent. `actOf` is told what it replaces; null for a new one. */
export async function putAgent(
  env: Env,
  agent: AgentConfig,
  actOf: (before: AgentConfig | null) => ActRow,
): Promise<void> {
  const content = withEntry(agent);
  await onNewest(env, async (isLast) => {
    const before = await readEdition(env, agent.agentId);
    const by = { act: actOf(before.agent), base: isLast ? null : before.revision };
    return again(async (): Promise<number | null> => hubStub(env).putEntry(content, by));
  });
  await handOver(env);
}

/**
 * Changes an agent's document as it is: no other change gets lost. `edit` answers null for nothing to change, and then
 * this answers `unchanged`; `overtaken` where others have changed it time and again.
 */
export async function editAgent(
  env: Env,
  agentId: string,
  { edit, act }: { readonly edit: (agent: AgentConfig) => AgentConfig | null; readonly act: ActRow },
): Promise<"changed" | "unchanged" | "overtaken"> {
  let isUnchanged = false;
  const revision = await onNewest(env, async () => {
    const { agent, revision: base } = await readEdition(env, agentId);
    const edited = agent === null ? null : edit(agent);
    isUnchanged = edited === null;
    if (edited === null) return base;
    return again(async (): Promise<number | null> => hubStub(env).putEntry(withEntry(edited), { act, base }));
  });
  if (isUnchanged) return "unchanged";
  if (revision === null) return "overtaken";
  await handOver(env);
  return "changed";
}

export async function removeAgent(env: Env, agentId: string, act: ActRow): Promise<void> {
  await again(async (): Promise<number | null> => hubStub(env).deleteEntry(agentId, { act, base: null }));
  await handOver(env);
}

/**
 * Changes the instance's document; the agents keep theirs. False when the config is another one than at that revision,
 * so that nobody has checked it beside this document.
 */
export async function putInstance(
  env: Env,
  instance: InstanceConfig,
  by: { readonly act: ActRow; readonly base: number },
): Promise<boolean> {
  const revision = await again(async (): Promise<number | null> => hubStub(env).setInstance(instance, by));
  if (revision === null) return false;
  await keepInstance(env, instance, revision);
  await handOver(env);
  return true;
}

const TRIES = 4;

/** Tries a change anew on what is there by then where another one came first, which null says; null when it always did. */
async function onNewest(
  env: Env,
  attempt: (isLast: boolean) => Promise<number | null>,
): Promise<number | null> {
  for (let tries = 1; ; tries += 1) {
    const revision = await attempt(tries === TRIES);
    if (revision !== null || tries === TRIES) return revision;
    // What the hub has and the object has not would be missing again. Whoever cannot be reached is told below.
    await Promise.allSettled([handOver(env)]);
  }
}

/** Nobody reads it there: for people who look at what is stored. */
async function keepInstance(env: Env, instance: InstanceConfig, revision: number | null): Promise<void> {
  await env.CONFIG.put(INSTANCE_KEY, JSON.stringify(instance), { metadata: { revision } });
}

/** Gives an object its documents back, those that it was never told and else from KV. False when there are none. */
export async function restoreAgent(env: Env, agentId: string): Promise<boolean> {
  const wanted = await again(async (): Promise<number | null> => hubStub(env).documentRevision(agentId));
  if (wanted === null) return false;
  await Promise.allSettled([handOver(env)]);
  if ((await documentsOf(env, agentId)) !== null) return true;
  const stored = agentSchema.safeParse(await keptInKv(env, agentId, wanted));
  if (!stored.success) return false;
  const { agents, instance, revision } = await again(() => hubStub(env).directory());
  const documents = { agent: stored.data, instance: instance ?? DEFAULT_INSTANCE, directory: agents };
  await again(() => agentStub(env, agentId).restore(documents, revision));
  return true;
}

/** Throws `not_found` for an agent that the instance does not have; no object is made for it. */
export async function requireAgent(env: Env, agentId: string): Promise<void> {
  if (!(await again(async (): Promise<boolean> => hubStub(env).has(agentId)))) throw noAgent();
}

/** The document in force. */
export async function readAgent(env: Env, agentId: string): Promise<AgentConfig | null> {
  const documents = await documentsOf(env, agentId);
  if (documents !== null) return documents.agent;
  return (await restoreAgent(env, agentId)) ? ((await documentsOf(env, agentId))?.agent ?? null) : null;
}

interface Edition {
  /** Null for an agent that does not work here, for which no object is made. */
  readonly agent: AgentConfig | null;
  readonly revision: number;
}

async function readEdition(env: Env, agentId: string): Promise<Edition> {
  if (!(await again(async (): Promise<boolean> => hubStub(env).has(agentId))))
    return { agent: null, revision: 0 };
  await readAgent(env, agentId);
  const { documents, revision } = await again(() => agentStub(env, agentId).edition());
  return { agent: documents === null ? null : ownJson<Documents>(documents).agent, revision };
}

/** How many characters of a text the agent's model gets to see at once. */
export function shownChars(env: Env, agentId: string): Promise<number> {
  return again(async (): Promise<number> => agentStub(env, agentId).shownChars());
}

async function documentsOf(env: Env, agentId: string): Promise<Documents | null> {
  const json = await again(() => agentStub(env, agentId).documents());
  return json === null ? null : ownJson<Documents>(json);
}

/** The whole config as a file holds it, but for the agents whose documents cannot be read. */
export async function readConfig(
  env: Env,
): Promise<Config & { readonly revision: number; readonly unreadable: readonly string[] }> {
  const { agents, instance, revision } = await again(() => hubStub(env).directory());
  const ids = agents.map(({ agentId }) => agentId);
  const documents = await Promise.all(ids.map((agentId) => readAgent(env, agentId)));
  return {
    instance: instance ?? DEFAULT_INSTANCE,
    agents: documents.filter((agent) => agent !== null),
    unreadable: ids.filter((_, index) => documents[index] === null),
    revision,
  };
}

/** The agents that do not work by what is decided yet, sorted. */
export function unreachedAgents(env: Env): Promise<string[]> {
  return again(async (): Promise<string[]> => hubStub(env).unreached());
}

function withEntry(agent: AgentConfig) {
  const { agentId, name, description } = agent;
  return { entry: { agentId, name, description }, json: JSON.stringify(agent) };
}
