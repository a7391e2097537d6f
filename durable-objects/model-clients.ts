/** The model that an agent's document names. */
import type { AgentConfig } from "../core/config/agent.ts";
import { resolveSecrets } from "../core/config/secrets.ts";
import type { World } from "../core/engine/world.ts";
import { createOpenAiClient } from "../core/model/openai.ts";
import { parseScenario } from "../core/model/scenario.ts";
import { createScriptedClient } from "../core/model/scripted.ts";
import type { ModelClient } from "../core/model/types.ts";
import { createWorkersAiClient } from "../core/model/workers-ai.ts";
import type { Env } from "./env.ts";
import { sleep } from "./sleep.ts";

/** Keeps the latest client: it remembers what its provider would not take. */
export function modelClients(env: Env): World["modelClient"] {
  let known: { readonly agent: AgentConfig; readonly client: ModelClient } | null = null;
  return (agent) => {
    if (known?.agent !== agent) known = { agent, client: modelClient(agent, env) };
    return known.client;
  };
}

function modelClient(agent: AgentConfig, env: Env): ModelClient {
  const { model } = agent;
  switch (model.provider) {
    case "scripted":
      return createScriptedClient({ scenario: scenarioOf(model.script), agentId: agent.agentId, sleep });
    case "workers-ai": {
      if (env.AI === undefined)
        throw new Error("The Workers AI binding is missing: add [ai] to wrangler.toml.");
      return createWorkersAiClient({ ai: env.AI, model: model.name });
    }
    case "openai":
      return createOpenAiClient({
        baseUrl: model.baseUrl ?? null,
        apiKey: model.apiKey === undefined ? null : secretValue(model.apiKey, env),
        model: model.name,
      });
  }
}

function scenarioOf(script: string | undefined) {
  if (script === undefined) return null;
  const parsed = parseScenario(script);
  if (parsed.ok) return parsed.scenario;
  throw new Error(
    `The scenario has faults: ${parsed.issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ")}`,
  );
}

function secretValue(reference: unknown, env: Env): string {
  const resolved = resolveSecrets({ value: reference }, { ...env });
  if (!resolved.ok) throw new Error(`The secret ${resolved.missing.join(", ")} is not set.`);
  return String(Object(resolved.value).value);
}
