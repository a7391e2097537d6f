/** The product's Worker, with its agents' world watched and cut by tests. */
import { AgentBase } from "../../durable-objects/agent.ts";
import type { Env } from "../../durable-objects/env.ts";
import { createApp } from "../../workers/app.ts";
import product from "../../workers/index.ts";
import { wiring } from "../../workers/wiring.ts";
import { countedEnv } from "./support/counted-env.ts";
import { caughtMail } from "./support/mail.ts";
import { testRegistry } from "./support/test-registry.ts";
import { agentCost, watchedWorld } from "./support/watched-world.ts";

export { ChainObject, HubObject } from "../../workers/index.ts";

/** Short, so that runs in tests outlive many an invocation. */
const HOLD_MS = 200;
/** Long for a job of a test, short for one that never ends. */
const JOB_SECONDS = 2;
/** Tests wait for the record after nearly every run. */
const GATHER_MS = 50;

export class AgentObject extends AgentBase {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, countedEnv(env, agentCost), {
      ...wiring,
      registry: testRegistry,
      mail: () => caughtMail,
      around: watchedWorld,
      holdMs: HOLD_MS,
      jobSeconds: JOB_SECONDS,
      deliveryPace: { quiet: GATHER_MS, longest: GATHER_MS },
      livePace: { watched: GATHER_MS, unwatched: GATHER_MS },
    });
  }
}

export default { ...product, fetch: createApp(testRegistry).fetch } satisfies ExportedHandler<Env>;
