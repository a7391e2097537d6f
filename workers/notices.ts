/** The minute's part in bringing notices to their channel; the objects send what they have written themselves. */
import { deliverNotices } from "../core/channels/notices.ts";
import type { InstanceConfig } from "../core/config/instance.ts";
import { noticePort } from "../durable-objects/channel-port.ts";
import type { Env } from "../durable-objects/env.ts";
import { channelTransports } from "./channel-transports.ts";
import { workerLog } from "./log.ts";
import { knownScrubber } from "./wiring.ts";

/** Never rejects: nothing else of the minute's work may depend on a channel. */
export async function sendNotices(env: Env, instance: InstanceConfig): Promise<void> {
  const scrubber = knownScrubber(env, instance.plainVars);
  const log = workerLog(env, instance.plainVars);
  const port = noticePort({ env, transports: channelTransports(env), scrubber: () => scrubber }, log);
  await deliverNotices(port, instance).catch((error: unknown) => log.error("Notices were not sent", error));
}
