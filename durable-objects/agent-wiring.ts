/** What the Worker's entry gives to every agent's object. */
import type { DeliveryPace } from "../core/agent/delivery.ts";
import type { ChannelTransports } from "../core/channels/channel.ts";
import type { MailTransport } from "../core/email/transport.ts";
import type { World } from "../core/engine/world.ts";
import type { Registry } from "../core/registry.ts";
import type { Scrubber } from "../core/scrub/index.ts";
import type { Env } from "./env.ts";
import type { LivePace } from "./live-publisher.ts";

export interface AgentWiring {
  /** Both know every secret of the environment but the variables named; asked again when these change. */
  readonly registry: (env: Env, plainVars: readonly string[]) => Registry;
  readonly scrubber: (env: Env, plainVars: readonly string[]) => Scrubber;
  /** How channels are reached that speak a protocol of their own. */
  readonly transports: (env: Env) => ChannelTransports;
  /** How answers to mail go out. */
  readonly mail: (env: Env) => MailTransport;
  /** May put something between the engine and its world; the product puts nothing there. */
  readonly around?: (world: World, ctx: DurableObjectState) => World;
  /** Milliseconds for which one alarm holds the object up; missing: a minute. */
  readonly holdMs?: number;
  /** How long rows on their way to D1 wait for company; missing: as `delivery.ts` says. */
  readonly deliveryPace?: DeliveryPace;
  /** How far apart calls of the live feed are; missing: as `live-publisher.ts` says. */
  readonly livePace?: LivePace;
  /** Seconds that a tick of a tool job may take; missing: `JOB_SECONDS`. */
  readonly jobSeconds?: number;
}
