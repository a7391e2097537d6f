import type { Env } from "../durable-objects/env.ts";

export { AgentObject } from "../durable-objects/agent.ts";
export { ChainObject } from "../durable-objects/chain.ts";
export { HubObject } from "../durable-objects/hub.ts";

export default {
  fetch: () => new Response("ok"),
} satisfies ExportedHandler<Env>;
