import { askApi } from "../client/call.mjs";
import { Problem } from "../instance/problem.mjs";

/** An agent may give its tools ten minutes. */
const CALL_MS = 660_000;

/** The first agent that has the tool. Throws a {@link Problem} when none has. */
export async function findAgent(target, tool) {
  const agents = await askApi(target, "/api/agents");
  const found = agents.find((agent) => agent.tools.includes(tool));
  if (found !== undefined) return found.agentId;
  const having = [...new Set(agents.flatMap((agent) => agent.tools))].sort();
  throw new Problem(
    `No agent has the tool ${tool}. Give it to one in the config, below "tools". There are: ${having.join(", ")}.`,
  );
}

/** @returns {Promise<{outcome: string, content: string, durationMs: number}>} */
export async function callTool(target, { agentId, ...call }) {
  const path = `/api/agents/${encodeURIComponent(agentId)}/tools/${encodeURIComponent(call.function)}`;
  return askApi(target, path, { method: "POST", body: call.arguments, timeoutMs: CALL_MS });
}
