import type { AiLike } from "../core/model/workers-ai.ts";
import type { AgentBase } from "./agent.ts";
import type { ChainObject } from "./chain.ts";
import type { HubObject } from "./hub.ts";

/** The Worker's bindings, as in wrangler.toml. Secrets come on top, by whatever name the config refers to. */
export interface Env {
  readonly AGENTS: DurableObjectNamespace<AgentBase>;
  readonly CHAINS: DurableObjectNamespace<ChainObject>;
  readonly HUB: DurableObjectNamespace<HubObject>;
  readonly DB: D1Database;
  readonly CONFIG: KVNamespace;
  readonly FILES: R2Bucket;
  readonly TEXTS: R2Bucket;
  /** Present when wrangler.toml binds Workers AI. */
  readonly AI?: AiLike;
  /** Present when wrangler.toml has a `send_email` binding of this name. */
  readonly EMAIL?: SendEmail;
  readonly API_TOKEN?: string;
  /** The deployed version; locally another one at each start. */
  readonly CF_VERSION_METADATA?: { readonly id: string };
}
