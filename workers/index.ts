import { AgentBase } from "../durable-objects/agent.ts";
import type { Env } from "../durable-objects/env.ts";
import { createApp } from "./app.ts";
import { takeEmail } from "./email/take-email.ts";
import { everyMinute } from "./every-minute.ts";
import { bundledRegistry, wiring } from "./wiring.ts";

export class AgentObject extends AgentBase {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, wiring);
  }
}

export { ChainObject } from "../durable-objects/chain.ts";
export { HubObject } from "../durable-objects/hub.ts";

export default {
  fetch: createApp(bundledRegistry).fetch,
  scheduled: (controller, env) => everyMinute(env, controller.scheduledTime),
  email: takeEmail,
} satisfies ExportedHandler<Env>;
