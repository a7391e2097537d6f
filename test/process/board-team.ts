/** A team at work on the taskboard for the power cut: each task has a subtask, every other one a review and a stage. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export const leads = ["l0", "l1", "l2", "l3"];

const task = "/^Task (\\S+) from[\\s\\S]*?\\nname ([\\w-]+)/";
const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ name, arguments: args });

/** Gives a part away to a fresh worker, and puts the whole together when it hears of the part. */
const leading = [
  {
    when: { user: "/Result:\\npart ([\\w-]+)[\\s\\S]*It is part of task (\\S+);/", step: 0 },
    delayMs: 120,
    calls: [call("task_complete", { taskId: "{{user.2}}", result: "whole {{user.1}}" })],
  },
  {
    when: { user: task, step: 0 },
    delayMs: 150,
    calls: [
      call("task_create", { title: "Part", description: "Do it.\nname {{user.2}}", assignee: "@new:hand" }),
    ],
  },
  { when: {}, delayMs: 50, say: "I have nothing more to do." },
];

const working = [
  {
    when: { user: task, step: 0 },
    delayMs: 200,
    calls: [call("task_comment", { taskId: "{{user.1}}", text: "I have begun with {{user.2}}." })],
  },
  {
    when: { user: task, step: 1 },
    delayMs: 150,
    calls: [call("task_complete", { taskId: "{{user.1}}", result: "part {{user.2}}" })],
  },
  { when: {}, delayMs: 50, say: "It is handed in." },
];

function agent(agentId: string, rules: readonly unknown[]) {
  return {
    agentId,
    name: agentId,
    description: `The agent ${agentId}`,
    systemPrompt: `You are ${agentId}.`,
    model: { provider: "scripted", script: JSON.stringify({ rules }) },
    colleagues: ["*"],
    tools: { Taskboard: {} },
  };
}

/** Writes the team's config file into the folder; answers its path. */
export function writeBoardTeam(folder: string): string {
  const agents = [...leads.map((name) => agent(name, leading)), agent("hand", working)];
  const path = join(folder, "board.json");
  writeFileSync(path, JSON.stringify({ instance: { id: "board", timeZone: "UTC" }, agents }));
  return path;
}
