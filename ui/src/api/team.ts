/** Who works here: loaded once after signing in and again when the live stream says that much has changed. */

import { computed, signal } from "@preact/signals";
import { words } from "../language/words.ts";
import { HUMAN } from "./assignees.ts";
import { type Answer, api, call } from "./client.ts";
import type { Agent } from "./types.ts";

export const team = signal<readonly Agent[]>([]);
const names = computed(() => new Map(team.value.map(({ agentId, name }) => [agentId, name ?? agentId])));

/** Reads who works here. */
export async function loadTeam(): Promise<Answer<readonly Agent[]>> {
  const answer = await call(api.agents.$get());
  if (answer.ok) team.value = answer.data;
  return answer;
}

/** The name that people gave the agent; of one that is gone its id. */
export function nameOf(agentId: string): string {
  return agentId === HUMAN ? words.people : (names.value.get(agentId) ?? agentId);
}
