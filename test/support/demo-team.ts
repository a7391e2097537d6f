/**
 * The demo team talked through by hand: no engine, no clock, each ask answered by the asked
 * agent's own scenario, and refused or timed out by the rules that the engine keeps. Tasks wait until `work` is called.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { parseScenario, type Scenario } from "../../core/model/scenario.ts";
import { matchRule } from "../../core/model/scenario-match.ts";
import { readTurn } from "../../core/model/scenario-turn.ts";
import { createScriptedClient } from "../../core/model/scripted.ts";
import type { ChatMessage, ToolCall } from "../../core/model/types.ts";
import { actorOf, DemoBoard } from "./demo-board.ts";

const DEMO = fileURLToPath(new URL("../../demo/", import.meta.url).href);
const MAX_STEPS = 12;

const agentSchema = z.looseObject({
  agentId: z.string(),
  description: z.string(),
  systemPrompt: z.string(),
  model: z.looseObject({ provider: z.string(), script: z.string(), price: z.unknown().optional() }),
  limits: z.looseObject({ askSeconds: z.number().default(60) }).default({ askSeconds: 60 }),
  colleagues: z.array(z.string()),
  tools: z.record(z.string(), z.unknown()),
});
const configSchema = z.looseObject({
  instance: z.looseObject({ id: z.string(), timeZone: z.string() }),
  agents: z.array(agentSchema),
});
const askSchema = z.object({ agentId: z.string(), question: z.string() });
const fileSchema = z.object({ action: z.string(), path: z.string(), content: z.string().default("") });

type DemoAgent = z.infer<typeof agentSchema>;

const readDemo = (path: string) => readFileSync(`${DEMO}${path}`, "utf8");

export const readConfig = () => configSchema.parse(JSON.parse(readDemo("config.json")));
const texts = z.strictObject({ en: z.string(), de: z.string() });
export const readInstruction = () =>
  texts.extend({ person: texts }).parse(JSON.parse(readDemo("instruction.json")));

export function readScenario(agent: DemoAgent): Scenario {
  const parsed = parseScenario(readDemo(agent.model.script));
  if (!parsed.ok) throw new Error(`${agent.model.script}: ${JSON.stringify(parsed.issues)}`);
  return parsed.scenario;
}

interface Exchange {
  readonly from: string;
  readonly name: string;
  readonly result: string;
}

/** Who speaks, and why. */
interface Turn {
  readonly objectName: string;
  readonly runId: string;
  readonly taskId: string | null;
  /** The agent that waits for the answer. */
  readonly asker: string | null;
}

export class DemoTeam {
  readonly agents = new Map(readConfig().agents.map((agent) => [agent.agentId, agent]));
  readonly files = new Map<string, string>();
  readonly exchanges: Exchange[] = [];
  readonly board = new DemoBoard();
  /** `agentId rule`, for each rule that has answered. */
  readonly usedRules = new Set<string>();
  writable = true;
  /** Agents that answer nothing usable. */
  readonly broken = new Set<string>();

  /** The agent's final text for a message; `asker` is the agent that waits for it. */
  say(agentId: string, message: string, asker: string | null = null): Promise<string> {
    return this.#run(message, { objectName: agentId, runId: "said", taskId: null, asker });
  }

  /** Does all that the taskboard has ordered, until nothing is left. @returns what was said at each run's end */
  async work(): Promise<string[]> {
    const said: string[] = [];
    for (let order = this.board.orders.shift(); order !== undefined; order = this.board.orders.shift()) {
      const { runId, taskId, input } = order.run;
      said.push(await this.#run(input, { objectName: order.objectName, runId, taskId, asker: null }));
    }
    return said;
  }

  async #run(message: string, turn: Turn): Promise<string> {
    const [agentId = ""] = turn.objectName.split("@");
    const agent = this.agent(agentId);
    const scenario = readScenario(agent);
    const client = createScriptedClient({ scenario, agentId, sleep: async () => undefined });
    const messages: ChatMessage[] = [
      { role: "system", content: agent.systemPrompt },
      { role: "user", content: message },
    ];
    for (let step = 0; step < MAX_STEPS; step++) {
      this.usedRules.add(`${agentId} ${matchRule(scenario, readTurn(messages))?.index ?? "otherwise"}`);
      const result = await client.attempt({ messages, tools: [] }, { signal: new AbortController().signal });
      if (!result.ok) throw new Error(result.failure.message);
      const { text, toolCalls } = result.answer;
      if (toolCalls.length === 0) return text;
      messages.push({ role: "assistant", content: text, reasoning: "", toolCalls });
      for (const call of toolCalls) messages.push(await this.#answer(agent, call, turn));
    }
    throw new Error(`${agentId} does not come to an end.`);
  }

  agent(agentId: string): DemoAgent {
    const agent = this.agents.get(agentId);
    if (agent === undefined) throw new Error(`There is no agent ${agentId}.`);
    return agent;
  }

  async #answer(agent: DemoAgent, call: ToolCall, turn: Turn): Promise<ChatMessage> {
    const args: unknown = JSON.parse(call.arguments);
    const result = await this.#result(agent, { name: call.name, args }, turn);
    this.exchanges.push({ from: agent.agentId, name: call.name, result });
    return { role: "tool", callId: call.id, content: result };
  }

  async #result(
    agent: DemoAgent,
    { name, args }: { name: string; args: unknown },
    turn: Turn,
  ): Promise<string> {
    if (name === "FileRW") return this.#file(args);
    if (name === "ask_agent") return this.#ask(agent, args, turn.asker);
    if (agent.tools.Taskboard === undefined) return `Failed: There is no tool ${name}.`;
    return this.board.call(name, args, {
      actor: actorOf(turn.objectName, turn),
      mayGive: (agentId) => agent.colleagues.includes(agentId),
    });
  }

  async #ask(agent: DemoAgent, args: unknown, asker: string | null): Promise<string> {
    const { agentId, question } = askSchema.parse(args);
    if (asker !== null) return "Denied (answering): An answering run cannot ask.";
    if (!agent.colleagues.includes(agentId)) return `Denied (not_colleague): ${agentId} is no colleague.`;
    if (this.broken.has(agentId)) return "Failed: The colleague's model is away.";
    if (this.#delayMs(agentId, question) > agent.limits.askSeconds * 1000) {
      await this.say(agentId, question, agent.agentId);
      return `Timed out: ${agentId} did not answer within ${agent.limits.askSeconds} s.`;
    }
    return this.say(agentId, question, agent.agentId);
  }

  #delayMs(agentId: string, question: string): number {
    const turn = readTurn([{ role: "user", content: question }]);
    return matchRule(readScenario(this.agent(agentId)), turn)?.action.delayMs ?? 0;
  }

  #file(args: unknown): string {
    const { action, path, content } = fileSchema.parse(args);
    if (action === "write") return this.#write(path, content);
    if (action !== "read")
      return "Failed: Wrong arguments. action: must be read, write, append, list or delete";
    const stored = this.files.get(path);
    return stored === undefined ? "Failed: not_found" : JSON.stringify({ path, content: stored });
  }

  #write(path: string, content: string): string {
    if (!this.writable) return "Failed: Writing is not allowed.";
    this.files.set(path, content);
    return JSON.stringify({ path, size: content.length });
  }
}
