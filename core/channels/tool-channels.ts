/** The channels as one tool of one agent reaches them: those that its own config names (L8). */
import type { InstanceConfig } from "../config/instance.ts";
import { fieldOf, itemsOf } from "../config/raw.ts";
import type { World } from "../engine/world.ts";
import { channelKeys, type ToolChannels } from "../tool.ts";

interface ToolChannelsInput {
  readonly tool: string;
  readonly toolConfig: unknown;
  readonly instance: InstanceConfig;
  readonly deliveryId: string;
  readonly signal: AbortSignal;
}

export function toolChannels(
  world: Pick<World, "channels" | "registry">,
  input: ToolChannelsInput,
): ToolChannels {
  const { instance, signal } = input;
  const schema = world.registry.get(input.tool)?.configSchema;
  const keys = schema === undefined ? [] : channelKeys(schema);
  const names = keys.flatMap((key) => itemsOf(fieldOf(input.toolConfig, key)));
  return {
    send: async (channel, message) => {
      if (!names.includes(channel))
        return { ok: false, code: "not_allowed", reason: "This agent may not use that channel." };
      return world.channels({ instance, channel, message, deliveryId: input.deliveryId, signal });
    },
  };
}
