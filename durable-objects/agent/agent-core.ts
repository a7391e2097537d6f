import { DurableObject } from "cloudflare:workers";
import type { AgentWiring } from "../agent-wiring.ts";
import type { Env } from "../env.ts";
import { type AgentParts, startParts } from "./agent-parts.ts";

/** The object's parts. What callers may reach is a method on a prototype; an instance's own property is not. */
export abstract class AgentCore extends DurableObject<Env> {
  protected readonly parts: AgentParts;

  constructor(ctx: DurableObjectState, env: Env, wiring: AgentWiring) {
    super(ctx, env);
    this.parts = startParts({ ctx, env, wiring });
  }

  override async alarm(): Promise<void> {
    await this.parts.keepAlive.stayUp();
  }
}
