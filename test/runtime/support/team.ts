/** Teams of scripted agents for tests. Everything is valid until a test changes it. */
import { send } from "./api.ts";

export interface Rule {
  readonly when?: Readonly<Record<string, unknown>>;
  readonly say?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly [field: string]: unknown;
}

export interface AgentSpec {
  readonly rules?: readonly Rule[];
  readonly [key: string]: unknown;
}

export function agent(agentId: string, spec: AgentSpec = {}): Record<string, unknown> {
  const { rules, ...rest } = spec;
  const played = (rules ?? []).map((rule) => ({ when: {}, ...rule }));
  const script = JSON.stringify({ rules: played, otherwise: { say: `${agentId} heard: {{user}}` } });
  return {
    agentId,
    name: agentId.toUpperCase(),
    description: `The agent ${agentId}`,
    systemPrompt: `You are ${agentId}.`,
    model: { provider: "scripted", script, price: { inputPerMTok: 1, outputPerMTok: 2 } },
    colleagues: ["*"],
    tools: { AskAgent: {}, FileRW: { rootPath: agentId, allowWrite: true, allowedExtensions: [".txt"] } },
    ...rest,
  };
}

/** A call of ask_agent. */
export function ask(agentId: string, question: string) {
  return { name: "ask_agent", arguments: { agentId, question } };
}

export async function team(
  agents: readonly Record<string, unknown>[],
  instance: Record<string, unknown> = {},
) {
  const response = await send("PUT", "/api/config", { instance: { id: "test", ...instance }, agents });
  if (!response.ok) throw new Error(await response.text());
}
