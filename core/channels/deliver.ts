/** Finds the channel of a name, masks what is said, and hands it over. */
import { openChannelSchema } from "../config/channels.ts";
import type { InstanceConfig } from "../config/instance.ts";
import { resolveSecrets } from "../config/secrets.ts";
import { type GuardedFetch, guardedFetch } from "../outbound/guarded-fetch.ts";
import type { Scrubber } from "../scrub/index.ts";
import type { Attempt, ChannelMessage, ChannelTransports, Delivery } from "./channel.ts";
import { toRocketChat, toWebhook } from "./webhook.ts";

export interface ChannelWorld {
  /** The platform's. */
  readonly fetch: GuardedFetch;
  readonly transports: ChannelTransports;
  /** Where secrets' values are. */
  readonly secrets: Readonly<Record<string, unknown>>;
  readonly scrubber: Scrubber;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface DeliverInput {
  readonly instance: InstanceConfig;
  /** A name among the instance's channels. */
  readonly channel: string;
  readonly message: ChannelMessage;
  /** The same for each attempt to deliver the same message. */
  readonly deliveryId: string;
  readonly signal: AbortSignal;
}

/** One attempt. Never rejects. */
export async function deliver(world: ChannelWorld, input: DeliverInput): Promise<Delivery> {
  const { channels, outbound } = input.instance;
  const document = Object.hasOwn(channels, input.channel) ? channels[input.channel] : undefined;
  if (document === undefined)
    return { ok: false, code: "no_such_channel", reason: `The instance has no channel ${input.channel}.` };
  const resolved = resolveSecrets(document, world.secrets);
  if (!resolved.ok)
    return {
      ok: false,
      code: "not_configured",
      reason: `The secret ${resolved.missing.join(", ")} is not set.`,
    };
  const attempt = {
    channel: openChannelSchema.parse(resolved.value),
    message: masked(input.message, world.scrubber),
    deliveryId: input.deliveryId,
    fetch: guardedFetch({ fetch: world.fetch, allow: outbound?.allow ?? [], signal: input.signal }),
    signal: input.signal,
  };
  return scrubbed(await handOver(world, attempt), world.scrubber);
}

type AnyAttempt = Omit<Attempt<"webhook">, "channel"> & {
  readonly channel: Attempt<"rocketchat" | "webhook" | "telegram" | "email">["channel"];
};

async function handOver(world: ChannelWorld, attempt: AnyAttempt): Promise<Delivery> {
  const { channel } = attempt;
  try {
    switch (channel.type) {
      case "rocketchat":
        return await toRocketChat({ ...attempt, channel });
      case "webhook":
        return await toWebhook({ ...attempt, channel }, world.now());
      case "telegram":
        return await world.transports.telegram({ ...attempt, channel });
      case "email":
        return await world.transports.email({ ...attempt, channel });
    }
  } catch {
    return { ok: false, code: "unknown", reason: "Sending broke off; it may or may not have arrived." };
  }
}

function masked({ title, text }: ChannelMessage, scrubber: Scrubber): ChannelMessage {
  const plain = { text: scrubber.scrub(text) };
  return title === undefined ? plain : { ...plain, title: scrubber.scrub(title) };
}

function scrubbed(delivery: Delivery, scrubber: Scrubber): Delivery {
  return delivery.ok ? delivery : { ...delivery, reason: scrubber.scrub(delivery.reason) };
}
