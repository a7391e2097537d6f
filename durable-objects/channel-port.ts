/** The instance's channels, and the way of notices to them, as the objects and the Worker reach them. */
import type { ChannelTransports } from "../core/channels/channel.ts";
import { type ChannelWorld, deliver } from "../core/channels/deliver.ts";
import type { NoticeWorld } from "../core/channels/notices.ts";
import type { Logger } from "../core/log.ts";
import type { Scrubber } from "../core/scrub/index.ts";
import type { Env } from "./env.ts";

const ATTEMPT_MS = 15_000;

export interface ChannelPortInput {
  readonly env: Env;
  readonly transports: ChannelTransports;
  readonly scrubber: () => Scrubber;
}

export function channelPort({ env, transports, scrubber }: ChannelPortInput): NoticeWorld["deliver"] {
  const world: Omit<ChannelWorld, "scrubber"> = {
    fetch: (input, init) => fetch(input, init),
    transports,
    secrets: { ...env },
    now: Date.now,
  };
  return (input) => deliver({ ...world, scrubber: scrubber() }, input);
}

export function noticePort(input: ChannelPortInput, log: Logger): NoticeWorld {
  return {
    db: input.env.DB,
    deliver: channelPort(input),
    attemptSignal: () => AbortSignal.timeout(ATTEMPT_MS),
    now: Date.now,
    log,
  };
}
