/** The taskboard as a client uses it, and rules that make scripted agents work on tasks. */
import { z } from "zod";
import { get, send } from "./api.ts";
import type { Rule } from "./team.ts";

export const taskShape = z.looseObject({
  taskId: z.string(),
  title: z.string(),
  creator: z.string(),
  assignee: z.string(),
  status: z.string(),
  result: z.string().nullable(),
  reason: z.string().nullable(),
  attempts: z.number(),
  rejections: z.number(),
  runId: z.string().nullable(),
  rootRunId: z.string(),
  parentTaskId: z.string().nullable(),
});
export type TaskAnswer = z.infer<typeof taskShape>;

export async function tasks(query = ""): Promise<TaskAnswer[]> {
  return z.array(taskShape).parse(await get(`/api/tasks${query}`));
}

export async function task(taskId: string) {
  return taskShape
    .extend({ events: z.array(z.looseObject({ kind: z.string(), actor: z.string(), text: z.string() })) })
    .parse(await get(`/api/tasks/${taskId}`));
}

export async function act(taskId: string, name: string, body: unknown): Promise<Response> {
  return send("POST", `/api/tasks/${taskId}/${name}`, body);
}

export async function createTask(body: Record<string, unknown>): Promise<TaskAnswer> {
  const response = await send("POST", "/api/tasks", {
    title: "Count the beans",
    description: "All of them.",
    ...body,
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return taskShape.parse(await response.json());
}

/** Gives a task away at the first step of a chat that says go. */
export function gives(args: Record<string, unknown>): Rule[] {
  return [
    {
      when: { user: "/^go/", step: 0 },
      calls: [
        {
          name: "task_create",
          arguments: { title: "Count the beans", description: "All of them.", ...args },
        },
      ],
    },
    { when: { user: "/^go/", step: 1 }, say: "given: {{result}}" },
  ];
}

/** Finishes whatever task it is given, with that result. */
export function finishes(result: string): Rule[] {
  return [
    {
      when: { user: "/^Task (\\S+) from/", step: 0 },
      calls: [{ name: "task_complete", arguments: { taskId: "{{user.1}}", result } }],
    },
    { when: { user: "/^Task (\\S+) from/" }, say: "done" },
  ];
}
