/** What an agent is told before its own prompt's tasks: who it is and whom it may ask. No I/O, no `this`. */

import { colleaguesOf } from "../ask/policy.ts";
import { BOARD_FUNCTIONS } from "../board/functions.ts";
import type { RunRecord } from "../journal/runs.ts";
import type { ToolFunction } from "../model/types.ts";
import type { Registry } from "../registry.ts";
import { toolParameters } from "../tool-schema.ts";
import { ASK_FUNCTION, askArguments } from "./prepare-call.ts";
import type { Documents } from "./world.ts";

const ASK_DEFINITION: ToolFunction = {
  name: ASK_FUNCTION,
  description:
    "For a short question to a colleague, not to hand over work. The colleague answers at once, sees only what you write here, and cannot ask anybody else. You get the answer as the result.",
  parameters: toolParameters(askArguments),
};

/** The functions that this run's model may call. An answering run is not offered `ask_agent`. */
export function offeredFunctions(documents: Documents, run: RunRecord, registry: Registry): ToolFunction[] {
  const { tools } = documents.agent;
  const functions = registry.functionsFor(Object.keys(tools)).map((item) => item.definition);
  const mayAsk = tools.AskAgent !== undefined && run.trigger !== "ask";
  const board = tools.Taskboard === undefined ? [] : BOARD_FUNCTIONS;
  return [...functions, ...(mayAsk ? [ASK_DEFINITION] : []), ...board];
}

export function systemPrompt(documents: Documents, run: RunRecord, summary: string): string {
  const { agent } = documents;
  const parts = [agent.systemPrompt, `You are the agent "${agent.agentId}" (${agent.name}).`];
  if (run.trigger === "ask") parts.push(ANSWERING);
  else if (agent.tools.AskAgent !== undefined || agent.tools.Taskboard !== undefined)
    parts.push(colleagueList(documents));
  if (summary !== "") parts.push(`Summary of the earlier conversation:\n${summary}`);
  return parts.join("\n\n");
}

const ANSWERING =
  "A colleague asks you a short question (the last message). Answer it briefly from what you know. What stands above it is your own conversation, maybe with work still going on. You cannot ask anybody else.";

function colleagueList(documents: Documents): string {
  const { agent, directory } = documents;
  const colleagues = colleaguesOf(agent.agentId, agent.colleagues, directory);
  if (colleagues.length === 0) return "You have no colleagues.";
  const lines = colleagues
    .slice(0, 50)
    .map((entry) => `- ${entry.agentId} (${entry.name}): ${entry.description}`);
  return ["Your colleagues:", ...lines].join("\n");
}
