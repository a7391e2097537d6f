/** Whom the record and the board name besides agents. */

/** Every person. */
export const HUMAN = "@human";
/** Before an agent's id: a fresh worker of that agent. */
export const FRESH = "@new:";

/** Whose name and mark an assignee goes by: a fresh worker has its agent's. */
export function agentOf(assignee: string): string {
  return assignee.startsWith(FRESH) ? assignee.slice(FRESH.length) : assignee;
}
