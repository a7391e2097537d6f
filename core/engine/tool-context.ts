/** What a tool's code gets from the engine, for one call or one tick of a job. */
import { toolChannels } from "../channels/tool-channels.ts";
import { chainStamp } from "../email/chain-stamp.ts";
import { guardedFetch } from "../outbound/guarded-fetch.ts";
import type { ToolContext, ToolState } from "../tool.ts";
import type { Documents, World } from "./world.ts";

interface ToolContextInput {
  readonly documents: Documents;
  /** The tool's name in the config. */
  readonly tool: string;
  /** The run whose call it is; for log lines. */
  readonly runId: string;
  /** Ends with the call. */
  readonly signal: AbortSignal;
  readonly state: ToolState;
  /** What the call may take in all. */
  readonly seconds: number;
  /** Names what is sent to a channel; the same when the same call is made again. */
  readonly deliveryId: string;
}

/** Throws with a readable message when a secret of the tool's config is missing. */
export function toolContext(world: World, input: ToolContextInput): ToolContext<unknown> {
  const { documents, tool, signal, deliveryId, runId } = input;
  const { agent, instance } = documents;
  const toolConfig = world.toolConfig(agent, tool);
  const allow = instance.outbound?.allow ?? [];
  return {
    agentId: agent.agentId,
    instanceId: instance.id,
    toolConfig,
    logger: world.toolLog(tool, input.runId),
    signal,
    state: input.state,
    seconds: input.seconds,
    fetch: guardedFetch({ fetch: world.fetch, allow, signal }),
    mailHeader: (mail) => chainStamp(world, { ...mail, runId, id: deliveryId, reply: false }),
    channels: toolChannels(world, { tool, toolConfig, instance, deliveryId, signal }),
  };
}
