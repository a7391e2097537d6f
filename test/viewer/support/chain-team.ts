/** A scripted team whose chains go well, badly, slowly, or over their budget, as they are told. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const HOSTILE =
  '<img src=x onerror="document.title=1"> \u202Egnp.exe\u202C <script>alert(1)</script> [x](javascript:alert(1)) ' +
  "Z\u0321\u0356\u0353\u0347";

const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ name, arguments: args });
const ask = (agentId: string, question: string) => call("ask_agent", { agentId, question });
const task = "/^Task (\\S+) from/";

const rules = {
  /** Told "plan": asks everybody, writes a file, gives a task away. */
  lead: [
    {
      when: { user: "/^plan/", step: 0 },
      say: "I ask around first.",
      calls: [
        ask("expert", "How many are **left** in stock?"),
        ask("broken", "What does it cost?"),
        ask("slow", "When does it come?"),
        ask("stranger", "Who are you?"),
      ],
    },
    {
      when: { user: "/^plan/", step: 1 },
      calls: [
        call("FileRW", { action: "write", path: "plan.txt", content: "Order 60." }),
        call("FileRW", { action: "read", path: "missing.txt" }),
        call("FileRW", { action: "write", path: "plan.exe", content: "no" }),
      ],
    },
    {
      when: { user: "/^plan/", step: 2 },
      calls: [call("task_create", { title: "Order the beans", description: "60 kg.", assignee: "clerk" })],
    },
    { when: { user: "/^plan/" }, say: "We order 60 kg." },
    { when: { user: "/^hostile/", step: 0 }, calls: [ask("expert", HOSTILE)] },
    { when: { user: "/Result:/" }, say: "Good, it is ordered." },
    { when: {}, say: "Done." },
  ],
  expert: [
    { when: { user: "/stock/", step: 0 }, calls: [call("FileRW", { action: "list", path: "" })] },
    { when: { user: "/stock/" }, say: "Seven bags of 60 kg." },
    { when: {}, say: HOSTILE },
  ],
  broken: [{ when: {}, fail: { code: "auth", message: "The key was refused" }, say: "" }],
  slow: [{ when: {}, delayMs: 30_000, say: "Some day." }],
  stranger: [{ when: {}, say: "Nobody." }],
  clerk: [
    {
      when: { user: task, step: 0 },
      calls: [call("task_complete", { taskId: "{{user.1}}", result: "Ordered, 60 kg." })],
    },
    { when: {}, say: "It is handed in." },
  ],
  /** Dear: its first call uses the chain's money up. */
  spender: [
    { when: { step: 0 }, calls: [ask("expert", "stock?")] },
    { when: {}, say: "I could go on." },
  ],
  /** Works for as long as the test lasts. */
  waiter: [
    { when: { user: "/^wait/", step: 0 }, calls: [ask("expert", "stock?")] },
    { when: {}, delayMs: 600_000, say: "At last." },
  ],
};

export type Member = keyof typeof rules;

const NAMES: Readonly<Record<Member, string>> = {
  lead: "Lead",
  expert: "Stock expert",
  broken: "Broken one",
  slow: "Slow one",
  stranger: "Stranger",
  clerk: "Clerk",
  spender: "Spender",
  waiter: "Waiter",
};

const PRICES: Partial<Readonly<Record<Member, number>>> = {
  lead: 20,
  expert: 60,
  clerk: 3,
  spender: 200_000,
};

function agent(agentId: Member) {
  const price = PRICES[agentId];
  return {
    agentId,
    name: NAMES[agentId],
    description: `The ${agentId} of the team.`,
    systemPrompt: `You are the ${agentId}.`,
    model: {
      provider: "scripted",
      script: JSON.stringify({ rules: rules[agentId] }),
      ...(price === undefined ? {} : { price: { inputPerMTok: price, outputPerMTok: price * 4 } }),
    },
    limits: { askSeconds: 2 },
    colleagues: agentId === "lead" ? ["expert", "broken", "slow", "clerk"] : ["*"],
    tools: {
      AskAgent: {},
      Taskboard: {},
      FileRW: { rootPath: agentId, allowWrite: true, allowedExtensions: [".txt"] },
    },
  };
}

/** Writes the team's config file into the folder; answers its path. */
export function writeChainTeam(folder: string): string {
  const agents = (
    ["lead", "expert", "broken", "slow", "stranger", "clerk", "spender", "waiter"] as const
  ).map(agent);
  const path = join(folder, "chains.json");
  const perChain = { costUsd: 5, depth: 300, runs: 5_000 };
  writeFileSync(
    path,
    JSON.stringify({
      instance: { id: "chains", timeZone: "UTC", perChain, perDay: { costUsd: 1_000_000 } },
      agents,
    }),
  );
  return path;
}
