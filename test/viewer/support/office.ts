/** A scripted team whose work lands on the board and with people, for the views of tasks and agents. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export const HOSTILE = '<img src=x onerror="document.title=1">\u202Egnp.exe <script>alert(1)</script>';

const task = "/^Task (\\S+) from/";
const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ name, arguments: args });
const finish = (result: string) => [
  { when: { user: task, step: 0 }, calls: [call("task_complete", { taskId: "{{user.1}}", result })] },
  { when: {}, say: "It is handed in." },
];

const rules = {
  /** Does every task at once. */
  clerk: finish("**412 kg**, counted twice."),
  /** Works on a task for as long as the test lasts. */
  miller: [{ when: { user: task, step: 0 }, delayMs: 600_000, say: "Ground." }],
  /** Told "decide X", gives X to a person, told "order X" to the clerk, and says what came back without a review. */
  buyer: [
    {
      when: { user: "/^order (.*)/", step: 0 },
      calls: [
        call("task_create", {
          title: "{{user.1}}",
          description: "All of it.",
          assignee: "clerk",
          acceptance: "A figure.",
        }),
      ],
    },
    {
      when: { user: "/^decide (.*)/", step: 0 },
      calls: [
        call("task_create", { title: "{{user.1}}", description: "Yes or **no**?", assignee: "@human" }),
      ],
    },
    { when: { user: "/Result:\\n(.*)/" }, say: "So it was decided: {{user.1}}" },
    { when: {}, say: "A person decides." },
  ],
  /** Talks in small pieces, and asks the clerk first when told to ask. */
  speaker: [
    {
      when: { user: "/^ask/", step: 0 },
      say: "I will ask.",
      calls: [call("ask_agent", { agentId: "clerk", question: "How much?" })],
    },
    { when: { user: "/^ask/" }, say: "The clerk says: {{result}}", stream: { chars: 4, delayMs: 5 } },
    { when: { user: "/^slow/" }, say: "{{repeat:slowly :4000}}", stream: { chars: 7, delayMs: 100 } },
    { when: { user: "/^echo (.*)/" }, say: "You said: {{user.1}}" },
    { when: {}, say: "Here is **what I know**.", stream: { chars: 5, delayMs: 5 } },
  ],
};

const NAMES: Readonly<Record<string, string>> = {
  clerk: "Clerk",
  miller: "Miller",
  buyer: "Buyer",
  speaker: "Speaker",
};

function agent(agentId: keyof typeof rules, tools: Readonly<Record<string, unknown>>) {
  return {
    agentId,
    name: NAMES[agentId] ?? agentId,
    description: `The ${agentId} of the office.`,
    systemPrompt: `You are the ${agentId}.`,
    model: { provider: "scripted", script: JSON.stringify({ rules: rules[agentId] }) },
    colleagues: ["*"],
    tools,
  };
}

/** Writes the team's config file into the folder; answers its path. */
export function writeOffice(folder: string): string {
  const agents = [
    agent("clerk", { Taskboard: {} }),
    agent("miller", { Taskboard: {} }),
    agent("buyer", { Taskboard: {} }),
    {
      ...agent("speaker", { AskAgent: {} }),
      scheduler: [{ id: "morning", cron: "0 6 1 1 *", taskMessage: "Good **morning**" }],
    },
    { ...agent("clerk", {}), agentId: "odd", name: HOSTILE, description: HOSTILE },
  ];
  const path = join(folder, "office.json");
  writeFileSync(path, JSON.stringify({ instance: { id: "office", timeZone: "UTC" }, agents }));
  return path;
}
