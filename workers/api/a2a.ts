/** The door for clients of A2A: each agent is a server of its own, with its card. */
import { type Context, Hono } from "hono";
import { isAgentId } from "../../core/ids.ts";
import { again } from "../../durable-objects/again.ts";
import { ownerOf } from "../a2a/owner.ts";
import { actorOf } from "../access/actor.ts";
import type { AppEnv } from "../app-env.ts";
import { noAgent } from "../errors.ts";
import { workerLog } from "../log.ts";
import { hubStub } from "../objects.ts";

const CARD_PATH = "/.well-known/agent-card.json";

/** The SDK is loaded with the first request: others should not pay for it when the Worker starts. */
export const a2aRoutes = new Hono<AppEnv>()
  /** Where the cards are. */
  .get("/", async (context) => {
    const { agents } = await again(() => hubStub(context.env).directory());
    return context.json({
      agents: agents.map(({ agentId, name }) => ({
        agentId,
        name,
        card: `${originOf(context)}/a2a/${agentId}${CARD_PATH}`,
      })),
    });
  })
  .get(`/:agentId${CARD_PATH}`, async (context) => {
    const { AgentCard } = await import("@a2a-js/sdk");
    return context.json(Object(AgentCard.toJSON(await cardOf(context, context.req.param("agentId")))));
  })
  .post("/:agentId", async (context) => {
    const agentId = context.req.param("agentId");
    const card = await cardOf(context, agentId);
    const [{ answerRpc }, { RunRequestHandler }, { readable }] = await Promise.all([
      import("../a2a/answer.ts"),
      import("../a2a/handler.ts"),
      import("../a2a/readable.ts"),
    ]);
    const leave = new AbortController();
    const owner = await ownerOf(actorOf(context));
    const handler = new RunRequestHandler({ env: context.env, agentId, card, owner, left: leave.signal });
    const door = readable(handler, workerLog(context.env));
    const body = await context.req.text();
    return answerRpc({ door, leave, body, version: context.req.header("A2A-Version") });
  });

/** Throws `not_found` for an agent that the instance does not have. */
async function cardOf(context: Context<AppEnv>, agentId: string) {
  if (!isAgentId(agentId)) throw noAgent();
  const { agents } = await again(() => hubStub(context.env).directory());
  const entry = agents.find((candidate) => candidate.agentId === agentId);
  if (entry === undefined) throw noAgent();
  const { agentCard } = await import("../a2a/card.ts");
  return agentCard(entry, originOf(context));
}

function originOf(context: Context): string {
  return new URL(context.req.url).origin;
}
