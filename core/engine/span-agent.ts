/** Whose span it is. */
import type { NamedAgent } from "../telemetry/names.ts";
import { agentIdOf, type World } from "./world.ts";

export function spanAgent(world: Pick<World, "documents" | "objectName">): NamedAgent {
  const agent = world.documents()?.agent;
  const agentId = agentIdOf(world);
  return { agentId, name: agent?.name ?? agentId, provider: agent?.model.provider ?? null };
}
