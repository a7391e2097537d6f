/** Names of agents, tasks and chains in a report. They are data: a channel must make no link, mention or markup of them. */
import { isAgentId, isEngineId } from "../ids.ts";

/** What shows of a name that neither the engine nor the config made: letters, digits and single blanks. */
const ODD = /[^\p{L}\p{N} _-]/gu;
const MAX_CHARS = 64;

/** @param name scrubbed */
export function shownName(name: string): string {
  if (isAgentId(name) || isEngineId(name) || name === "@human") return name;
  const characters = [...name.replaceAll(ODD, "?").replaceAll(/ {2,}/g, " ")];
  const cut = characters.length > MAX_CHARS ? "..." : "";
  return `"${characters.slice(0, MAX_CHARS).join("")}${cut}"`;
}
