/** The product's Worker, with its agents' world watched and cut by tests. */
import { AgentBase } from "../../durable-objects/agent.ts";
import type { Env } from "../../durable-objects/env.ts";
import { createApp } from "../../workers/app.ts";
import product from "../../workers/index.ts";
import { wiring } from "../../workers/wiring.ts";
import { testRegistry } from "./support/test-registry.ts";
import { watchedWorld } from "./support/watched-world.ts";

export { ChainObject, HubObject } from "../../workers/index.ts";

/** Short, so that runs in tests outlive many an invocation. */
const HOLD_MS = 200;

export class AgentObject extends AgentBase {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { ...wiring, registry: testRegistry, around: watchedWorld, holdMs: HOLD_MS });
  }
}

export default { ...product, fetch: createApp(testRegistry).fetch } satisfies ExportedHandler<Env>;
