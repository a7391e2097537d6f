/** A ring of agents at work for the power cut: each job asks two colleagues and appends twice to a file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export const workers = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7"];
const knower = "knower";
const job = "/^job ([\\w-]+)$/";

const ask = (agentId: string, question: string) => ({
  name: "ask_agent",
  arguments: { agentId, question },
});
const append = (line: string) => ({
  name: "FileRW",
  arguments: { action: "append", path: "log.txt", content: `${line}\n` },
});

/** The engine frames a question; its own text stands at the end. */
const answers = {
  when: { user: "/((first|second) [\\w-]+)$/" },
  delayMs: 60,
  say: "answer to {{user.1}}",
};

/**
 * The delays differ, so that a cut finds the agents at different places. Jobs whose name ends in 0 begin
 * slowly, so that others line up behind them.
 */
function working(index: number) {
  const next = workers[(index + 1) % workers.length] ?? "";
  const delayMs = 100 + 30 * index;
  const begin = [ask(next, "first {{user.1}}"), append("{{user.1}} first")];
  return [
    { when: { user: "/^job ([\\w-]+-0)$/", step: 0 }, delayMs: 1_500, calls: begin },
    { when: { user: job, step: 0 }, delayMs, calls: begin },
    { when: { user: job, step: 1 }, delayMs, calls: [ask(knower, "second {{user.1}}")] },
    { when: { user: job, step: 2 }, delayMs, calls: [append("{{user.1}} second")] },
    { when: { user: job, step: 3 }, delayMs, say: "done {{user.1}}" },
    {
      when: { user: "/^show/", step: 0 },
      calls: [{ name: "FileRW", arguments: { action: "read", path: "log.txt" } }],
    },
    { when: { user: "/^show/", step: 1 }, say: "{{result.json.content}}" },
    answers,
  ];
}

function agent(agentId: string, rules: readonly unknown[]) {
  return {
    agentId,
    name: agentId,
    description: `The agent ${agentId}`,
    systemPrompt: `You are ${agentId}.`,
    model: { provider: "scripted", script: JSON.stringify({ rules }) },
    limits: { askSeconds: 600 },
    colleagues: ["*"],
    tools: { AskAgent: {}, FileRW: { rootPath: agentId, allowWrite: true, allowedExtensions: [".txt"] } },
  };
}

/** Writes the team's config file into the folder; answers its path. */
export function writePowerTeam(folder: string): string {
  const agents = [...workers.map((name, index) => agent(name, working(index))), agent(knower, [answers])];
  const path = join(folder, "power.json");
  writeFileSync(path, JSON.stringify({ instance: { id: "power", timeZone: "UTC" }, agents }));
  return path;
}
