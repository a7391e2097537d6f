/** Tells people something over a channel of the instance. Where a channel leads only the operator knows. */
import { z } from "zod";
import {
  type ChannelOutcome,
  channelNames,
  defineTool,
  fail,
  ok,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../core/tool.ts";

const configSchema = z.strictObject({
  /** Names from the instance's `channels`. */
  channels: channelNames(),
});
type NotifyConfig = z.infer<typeof configSchema>;

const filled = (text: string) => text.trim() !== "";

const inputSchema = z.strictObject({
  action: z.enum(["send"]),
  channel: z.string().min(1).max(63).describe("The channel's name"),
  title: z.string().max(200).refine(filled, "Must not be empty").optional(),
  text: z.string().max(20_000).refine(filled, "Must not be empty").describe("What a person should know"),
});
type NotifyInput = z.infer<typeof inputSchema>;

export const notify: Tool = defineTool({
  name: "Notify",
  description: "Tells people what they should know, over a channel that this agent may use.",
  config: configSchema,
  input: inputSchema,
  // A second message to people is worse than a missing answer to the model.
  repeatable: [],
  parallel: [],
  execute: send,
});

async function send(input: NotifyInput, context: ToolContext<NotifyConfig>): Promise<ToolResult> {
  context.signal.throwIfAborted();
  const { channel, title, text } = input;
  const message = title === undefined ? { text } : { title, text };
  const outcome = await context.channels.send(channel, message);
  return outcome.ok ? ok(`Sent to ${channel}.`) : fail(explain(outcome, context.toolConfig));
}

function explain(outcome: Extract<ChannelOutcome, { ok: false }>, { channels }: NotifyConfig): string {
  switch (outcome.code) {
    case "not_allowed":
      return `${outcome.reason} It may use: ${channels.join(", ") || "none"}. Nothing was sent.`;
    case "unknown":
      return `Unknown outcome: ${outcome.reason} Do not repeat it without checking.`;
    case "busy":
      return outcome.retryAfter === undefined
        ? `${outcome.reason} Try again later.`
        : `${outcome.reason} Try again in ${outcome.retryAfter} seconds.`;
    default:
      return `Not sent: ${outcome.reason}`;
  }
}
