const SIZE = 16;
const numbered = (name) => Array.from({ length: SIZE }, (_, index) => `${name}-${index}`);

/** Agents by what they do: `tool` agents make one tool call, each asker asks the answerer of its number. */
export const team = { tool: numbered("tool"), asker: numbered("asker"), answerer: numbered("answerer") };
export const everybody = Object.values(team).flat();

const prompts = {
  tool: "You keep the figures of a small company. Answer briefly.",
  asker: "You are the front desk of a small company. Ask the colleague who knows, then answer briefly.",
  answerer: "You run the warehouse of a small company. Answer briefly and with figures.",
};

export const asks = (agentId) => team.asker.includes(agentId);
/** Whom an asker asks. */
export const colleagueOf = (agentId) => agentId.replace("asker", "answerer");

/** The model's name decides what it does, see scenes.mjs. */
function modelOf(agentId, kind) {
  if (kind === "tool") return "bench-tool";
  return kind === "asker" ? `bench-ask:${colleagueOf(agentId)}` : `bench-answer:${agentId}`;
}

/** The product's config; `modelPort` is the model server's. Room for everything that the benchmark does. */
export function teamConfig(modelPort) {
  const plenty = { runs: 1_000_000, depth: 8, costUsd: 100_000, tokens: 1e12 };
  const agents = Object.entries(team).flatMap(([kind, ids]) =>
    ids.map((agentId) => agentConfig(agentId, kind, modelPort)),
  );
  return { instance: { id: "bench", perChain: plenty, perDay: { costUsd: 100_000 } }, agents };
}

function agentConfig(agentId, kind, modelPort) {
  const tools = {
    tool: { FileRW: { rootPath: agentId, allowWrite: true, allowedExtensions: [".txt"] } },
    asker: { AskAgent: {} },
    answerer: {},
  };
  return {
    agentId,
    name: `Agent ${agentId}`,
    description: "Works in the benchmark.",
    systemPrompt: prompts[kind],
    colleagues: kind === "asker" ? [colleagueOf(agentId)] : [],
    tools: tools[kind],
    model: {
      provider: "openai",
      name: modelOf(agentId, kind),
      baseUrl: `http://127.0.0.1:${modelPort}/product/v1`,
      contextTokens: 10_000_000,
      price: { inputPerMTok: 0.25, outputPerMTok: 2 },
    },
  };
}

/**
 * What the floor's agent needs to send the same bodies as the product's.
 * @param latest the product's latest request of each model, with one whole turn in it
 */
export function planFor(agentId, latest, modelPort) {
  const kind = Object.keys(team).find((name) => team[name].includes(agentId));
  const { model, messages, tools = null } = latest[modelOf(agentId, kind)];
  const [system, user] = messages;
  return {
    baseUrl: `http://127.0.0.1:${modelPort}/floor/v1`,
    model,
    system,
    tools,
    lead: user.content.slice(0, user.content.lastIndexOf("\n") + 1),
    toolResult: messages.findLast(({ role }) => role === "tool")?.content ?? null,
    colleague: asks(agentId) ? colleagueOf(agentId) : null,
  };
}
