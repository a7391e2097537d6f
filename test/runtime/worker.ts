/** The product's Worker, with its agents' world watched and cut by tests. */
import { AgentBase } from "../../durable-objects/agent.ts";
import type { Env } from "../../durable-objects/env.ts";
import { wiring } from "../../workers/wiring.ts";
import { watchedWorld } from "./support/watched-world.ts";

export { ChainObject, default, HubObject } from "../../workers/index.ts";

export class AgentObject extends AgentBase {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { ...wiring, around: watchedWorld });
  }
}
