import { setTimeout as wait } from "node:timers/promises";
import { createClient } from "./client.mjs";
import { TOKEN } from "./servers.mjs";
import { asks, colleagueOf, everybody, planFor, team, teamConfig } from "./team.mjs";

export const MESSAGE = "Please look up the figures of October and tell me what you find.";

/**
 * The two sides that are compared. The floor's agents are told what the product sent to the model server, so
 * that both send the same.
 * @returns `{product, floor, counts(), close()}`; a side has `chat(agentId)`, `reset(agentIds)` and `recorded()`
 */
export async function prepareSides(ports) {
  const models = createClient(ports.models);
  const product = await productSide(ports);
  for (const agentId of [...team.tool.slice(0, 1), ...team.asker]) await product.chat(agentId);
  const floor = await floorSide(ports, await models.call("GET", "/latest"));
  return {
    product,
    floor,
    counts: () => models.call("GET", "/counts"),
    close: () => {
      for (const client of [product, floor, models]) client.close();
    },
  };
}

async function productSide({ product, models }) {
  const { call, close } = createClient(product, { authorization: `Bearer ${TOKEN}` });
  await call("PUT", "/api/config", teamConfig(models));
  const unsent = async () => (await call("GET", "/api/agents")).reduce((sum, agent) => sum + agent.unsent, 0);
  return {
    chat: (agentId) => checked(call("POST", `/api/agents/${agentId}/chat`, { message: MESSAGE })),
    reset: (agentIds) =>
      all(involved(agentIds), (agentId) => call("DELETE", `/api/agents/${agentId}/conversation`)),
    /** The record is written behind the answers: resolves once all of it is in D1. */
    recorded: async () => {
      while ((await unsent()) > 0) await wait(20);
    },
    close,
  };
}

async function floorSide({ floor, models }, latest) {
  const { call, close } = createClient(floor);
  await all(everybody, (agentId) => call("POST", `/${agentId}/configure`, planFor(agentId, latest, models)));
  return {
    chat: (agentId) => checked(call("POST", `/${agentId}/chat`, { message: MESSAGE })),
    reset: (agentIds) => all(involved(agentIds), (agentId) => call("POST", `/${agentId}/reset`)),
    recorded: async () => undefined,
    close,
  };
}

async function checked(answer) {
  const { status, reply } = await answer;
  if (status !== "completed" || reply === "") throw new Error(`A run ended with status ${status}`);
}

/** The agents and those whom they ask. */
const involved = (agentIds) => [...agentIds, ...agentIds.filter(asks).map(colleagueOf)];
const all = (items, act) => Promise.all(items.map(act));
