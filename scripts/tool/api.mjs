import { Problem } from "../instance/problem.mjs";

/** The first agent that has the tool. Throws a {@link Problem} when none has. */
export async function findAgent(target, tool) {
  const agents = await ask(target, "/api/agents");
  const found = agents.find((agent) => agent.tools.includes(tool));
  if (found !== undefined) return found.agentId;
  const having = [...new Set(agents.flatMap((agent) => agent.tools))].sort();
  throw new Problem(
    `No agent has the tool ${tool}. Give it to one in the config, below "tools". There are: ${having.join(", ")}.`,
  );
}

/** @returns {Promise<{outcome: string, content: string, durationMs: number}>} */
export async function callTool(target, { agentId, ...call }) {
  return ask(
    target,
    `/api/agents/${encodeURIComponent(agentId)}/tools/${encodeURIComponent(call.function)}`,
    {
      method: "POST",
      body: JSON.stringify(call.arguments),
    },
  );
}

async function ask(target, path, init = {}) {
  const response = await fetch(target.url + path, {
    ...init,
    headers: { authorization: `Bearer ${target.token}`, "content-type": "application/json" },
    redirect: "error",
  }).catch((error) => {
    throw new Problem(`Nothing answers at ${target.url} (${error.cause?.code ?? error.message}).`);
  });
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  throw new Problem(
    `${target.url} answered ${response.status}: ${body?.error?.message ?? "no reason given"}`,
  );
}
