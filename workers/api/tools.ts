import { Hono } from "hono";
import { recordAct } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { readJson } from "../body.ts";
import { requireAgent } from "../config-store.ts";
import { noAgent } from "../errors.ts";
import { agentStub } from "../objects.ts";
import { personActId } from "../person.ts";

/**
 * One call of a tool by hand, with the agent's config: what `npm run tool` makes. Below `/api/agents`. Tried once: when
 * its answer is lost, the call may have been made.
 */
export const toolRoutes = new Hono<AppEnv>().post("/:agentId/tools/:functionName", async (context) => {
  const agentId = context.req.param("agentId");
  await requireAgent(context.env, agentId);
  const call = {
    functionName: context.req.param("functionName"),
    arguments: JSON.stringify(await readJson(context)),
    actId: personActId(),
  };
  const result = await agentStub(context.env, agentId).callTool(call);
  if (result === null) throw noAgent();
  const details = { functionName: result.functionName, actId: call.actId, outcome: result.outcome };
  await recordAct(context, { action: "tool.call", target: agentId, details });
  return context.json(result);
});
