/** Ids that the engine mints. A run's id names the object that runs it, so it can be found while D1 is away. */

export interface IdSource {
  readonly now: () => number;
  /** Lower-case letters and digits, unguessable. */
  readonly random: () => string;
}

/** `<object name>.<time><random>`: sorts by time within one agent. */
export function newRunId(source: IdSource, objectName: string): string {
  return `${objectName}.${source.now().toString(36).padStart(9, "0")}${source.random()}`;
}

const RUN_ID = /^([a-z0-9][a-z0-9_@-]{0,190})\.[a-z0-9]{10,60}$/;

/** The name of the agent object a run lives in, or null for an id that the engine never made. */
export function objectNameOf(runId: string): string | null {
  return RUN_ID.exec(runId)?.[1] ?? null;
}

const PERSON_ACT = /^@human\.[a-z0-9]{10,60}$/;

/** Whether the engine can have made it: a run's id, or that of a person's act. */
export function isEngineId(id: string): boolean {
  return objectNameOf(id) !== null || PERSON_ACT.test(id);
}

const AGENT_ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export function isAgentId(text: string): boolean {
  return AGENT_ID.test(text);
}
