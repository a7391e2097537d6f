/** Documents that come into force, and what follows from that. */
import { isAtWork, setPaused, storeDocuments } from "../../core/agent/agent.ts";
import type { Documents } from "../../core/engine/world.ts";
import { ownJson } from "../../core/journal/database.ts";
import { again } from "../again.ts";
import type { Env } from "../env.ts";
import type { AgentParts } from "./agent-parts.ts";

/** A fresh worker (`<agent>@<task>`) works by its agent's documents as they are now, and takes nothing while that is paused. */
export async function adoptDocuments(parts: AgentParts, env: Env): Promise<"paused" | "ready"> {
  const [agentId, task] = parts.world.objectName.split("@");
  if (agentId === undefined || task === undefined) return "ready";
  const base = await again(async () =>
    env.AGENTS.get(env.AGENTS.idFromName(agentId)).asBase(parts.world.objectName),
  );
  if (base.paused) return "paused";
  if (base.documents !== null) putInForce(parts, ownJson<Documents>(base.documents));
  return "ready";
}

/** Null takes the agent out of service. */
export function putInForce(parts: AgentParts, documents: Documents | null): void {
  const paused = documents?.agent.paused ?? false;
  if (paused !== parts.documents.current?.agent.paused) pause(parts, paused);
  storeDocuments(parts.world, documents);
  parts.documents.current = documents;
  parts.jobs.documentsChanged();
  parts.keepAlive.runJobs();
}

/** Queued runs that may go on again need the alarm. */
export function pause({ world, approvals, keepAlive }: AgentParts, paused: boolean): void {
  setPaused(world, paused);
  if (!paused) approvals.resume();
  if (isAtWork(world)) keepAlive.arm();
}
