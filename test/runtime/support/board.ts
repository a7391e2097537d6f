/** The taskboard from behind: agents that do as they are told, the minute's scan, rows and runs of a chain. */
import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { z } from "zod";
import worker from "../worker.ts";
import { type Answer, agentsShape, chat, eventually, get, messages } from "./api.ts";
import { type AgentSpec, agent, type Rule } from "./team.ts";

const STEPS = 5;

/**
 * An agent that does what it is told. In a chat: `do <function> <arguments>`. In a task: whatever lines of its
 * description, numbered by step from 0, say, as `steps` writes them. Its own rules go first.
 */
export function puppet(agentId: string, spec: AgentSpec = {}) {
  const told: Rule[] = [
    {
      when: { user: "/^do (\\w+) ([\\s\\S]*)$/", step: 0 },
      calls: [{ name: "{{user.1}}", arguments: "{{user.2}}" }],
    },
    { when: { user: "/^do /" }, say: "{{result}}" },
  ];
  const working = Array.from({ length: STEPS }, (_, step) => ({
    when: { user: `/^Task (\\S+) from[\\s\\S]*?\\n${step} (\\w+)(.*)/`, step },
    calls: [{ name: "{{user.2}}", arguments: '{"taskId":"{{user.1}}"{{user.3}}}' }],
  }));
  return agent(agentId, {
    tools: { Taskboard: {}, AskAgent: {} },
    ...spec,
    rules: [...(spec.rules ?? []), ...told, ...working, { say: "ok" }],
  });
}

export type Step = readonly [name: string, args?: Readonly<Record<string, unknown>>];

/** A description that makes a puppet do these steps with its task; the task's id is added to the arguments. */
export function steps(...todo: readonly Step[]): string {
  const lines = todo.map(([name, args = {}], step) => {
    const members = JSON.stringify(args).slice(1, -1);
    return `${step} ${name}${members === "" ? "" : `,${members}`}`;
  });
  return ["All of them.", ...lines].join("\n");
}

/** Lets a puppet call one function in a chat; its reply is the call's result. */
export function tell(agentId: string, name: string, args: Readonly<Record<string, unknown>>) {
  return chat(agentId, `do ${name} ${JSON.stringify(args)}`);
}

const created = z.looseObject({ taskId: z.string() });

/** Lets a puppet give a task away. */
export async function giveTask(
  agentId: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Answer & { readonly taskId: string }> {
  const answer = await tell(agentId, "task_create", {
    title: "Count the beans",
    description: "All of them.",
    ...args,
  });
  return { ...answer, taskId: created.parse(JSON.parse(answer.reply)).taskId };
}

/** What the cron trigger does each minute. */
export async function scan(scheduledTime = new Date()): Promise<void> {
  const context = createExecutionContext();
  await worker.scheduled(createScheduledController({ cron: "* * * * *", scheduledTime }), env);
  await waitOnExecutionContext(context);
}

const FIVE_MINUTES_MS = 300_000;

/** The latest minute at which the trigger also does what it does every fifth minute only. */
export const fifthMinute = () => new Date(Math.floor(Date.now() / FIVE_MINUTES_MS) * FIVE_MINUTES_MS);

/** The same some minutes later, when leases have run out. */
export async function lateScan(): Promise<void> {
  await env.DB.prepare(
    `UPDATE "Tasks" SET "LeaseUntil" = '2020-01-01T00:00:00.000Z' WHERE "LeaseUntil" IS NOT NULL`,
  ).run();
  await scan();
}

/** Waits until nobody works any more and all that the agents know is in D1; what a paused agent has queued may wait. */
export async function quiet(): Promise<void> {
  await eventually(async () =>
    agentsShape
      .parse(await get("/api/agents"))
      .every(
        ({ unsent, state, queued, paused }) => unsent === 0 && state === "idle" && (paused || queued === 0),
      ),
  );
}

/** A chain's rows as `from>to channel direction status`. */
export async function rowsOf(rootRunId: string): Promise<string[]> {
  const rows = await messages(`?limit=500`);
  return rows
    .filter((row) => row.rootRunId === rootRunId)
    .map((row) => `${row.fromAgentId}>${row.toAgentId} ${row.channel} ${row.direction} ${row.status}`);
}

const noticeShape = z.array(
  z.looseObject({ kind: z.string(), text: z.string(), rootRunId: z.string().nullable() }),
);

export async function notices() {
  return noticeShape.parse(await get("/api/notices"));
}

const chainShape = z.looseObject({
  frozen: z.boolean(),
  runs: z.array(
    z.looseObject({
      runId: z.string(),
      agentId: z.string(),
      parentRunId: z.string().nullable(),
      depth: z.number(),
      trigger: z.string(),
      status: z.string().nullable(),
    }),
  ),
  totals: z.looseObject({ runs: z.number(), costUsd: z.number().nullable() }),
  tasks: z.array(
    z.looseObject({
      taskId: z.string(),
      assignee: z.string(),
      status: z.string(),
      inCircle: z.boolean(),
    }),
  ),
});

export async function chainOf(rootRunId: string) {
  return chainShape.parse(await get(`/api/chains/${rootRunId}`));
}

/** The runs that the taskboard has ordered and nobody has taken. */
export async function pendingOrders(): Promise<number> {
  return Number(await env.DB.prepare(`SELECT count(*) AS n FROM "TaskWakes"`).first("n"));
}
