/** The product's Worker, with its agents' world watched and cut by tests. */
import { agentObject } from "../../durable-objects/agent.ts";
import { wiring } from "../../workers/wiring.ts";
import { watchedWorld } from "./support/watched-world.ts";

export { ChainObject, default, HubObject } from "../../workers/index.ts";

export const AgentObject = agentObject({ ...wiring, around: watchedWorld });
