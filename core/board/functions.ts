/** The taskboard as a model sees it. */
import { z } from "zod";
import type { ToolFunction } from "../model/types.ts";
import { parseInstant } from "../record/instant.ts";
import { toolParameters } from "../tool-schema.ts";
import { PRIORITIES, TASK_STATUSES } from "./vocabulary.ts";

const taskId = z.string().min(1).max(200).describe("The task's id.");
const title = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .describe("One line that says what shall be there in the end.");
const description = z
  .string()
  .min(1)
  .describe("All that the assignee needs to know; it sees nothing else of your work.");
const assignee = z
  .string()
  .trim()
  .min(1)
  .describe(
    "An agent's id; @new:<agent> for a fresh worker of that agent that shares nothing but its config; @human for a person.",
  );
const acceptance = z
  .string()
  .min(1)
  .optional()
  .describe("When the result is good. With it you review the result before the task is done.");

export const stageInput = z.object({ title, description, assignee, acceptance });

export const newTaskInput = z.object({
  title,
  description,
  assignee,
  acceptance,
  priority: z.enum(PRIORITIES).default("normal"),
  dueAt: z.iso
    .datetime({ offset: true })
    // Kept in UTC, so that due times compare as texts.
    .overwrite((text) => parseInstant(text) ?? text)
    .optional()
    .describe("ISO 8601 with zone; a person is told when it is overdue."),
  stages: z
    .array(stageInput)
    .max(20)
    .default([])
    .describe("Tasks that follow by themselves, each with the result of the one before."),
  parentTaskId: z.string().max(200).optional(),
});

export const listInput = z.object({
  status: z.enum(TASK_STATUSES).optional(),
  assignee: z.string().max(200).optional(),
  limit: z.number().int().min(1).max(100).default(20),
  cursor: z.string().max(200).optional(),
});

const FUNCTIONS = {
  task_create: {
    description:
      "Hand work to somebody: lasting, followed to its end, with a result you are woken with. For a short question that you need answered right now use ask_agent instead. Returns at once with the task's id; do not wait for it.",
    input: newTaskInput,
  },
  task_list: { description: "List tasks that you gave or were given, newest first.", input: listInput },
  task_get: { description: "Read one task with its history.", input: z.object({ taskId }) },
  task_comment: {
    description:
      "Say something about a task to the other side. Not to acknowledge, and not to hand in a result.",
    input: z.object({ taskId, text: z.string().min(1) }),
  },
  task_complete: {
    description: "Hand in the result of a task that you were given. Say in it all that its creator needs.",
    input: z.object({ taskId, result: z.string().min(1) }),
  },
  task_block: {
    description: "Say that you cannot finish a task that you were given, and why.",
    input: z.object({ taskId, reason: z.string().min(1) }),
  },
  task_review: {
    description:
      "Accept or reject the result of a task that you gave. Rejecting gives it back with your comment.",
    input: z.object({ taskId, decision: z.enum(["accept", "reject"]), comment: z.string().default("") }),
  },
  task_cancel: {
    description: "Call off a task that you gave.",
    input: z.object({ taskId, reason: z.string().default("") }),
  },
} as const;

export type BoardFunction = keyof typeof FUNCTIONS;

export type BoardCall =
  | { readonly name: "task_create"; readonly input: z.infer<typeof newTaskInput> }
  | { readonly name: "task_list"; readonly input: z.infer<typeof listInput> }
  | { readonly name: "task_get"; readonly input: { readonly taskId: string } }
  | { readonly name: "task_comment"; readonly input: { readonly taskId: string; readonly text: string } }
  | { readonly name: "task_complete"; readonly input: { readonly taskId: string; readonly result: string } }
  | { readonly name: "task_block"; readonly input: { readonly taskId: string; readonly reason: string } }
  | {
      readonly name: "task_review";
      readonly input: {
        readonly taskId: string;
        readonly decision: "accept" | "reject";
        readonly comment: string;
      };
    }
  | { readonly name: "task_cancel"; readonly input: { readonly taskId: string; readonly reason: string } };

export const BOARD_FUNCTIONS: readonly ToolFunction[] = Object.entries(FUNCTIONS).map(
  ([name, { description: told, input }]) => ({
    name,
    description: told,
    parameters: toolParameters(input),
  }),
);

export function isBoardFunction(name: string): name is BoardFunction {
  return Object.hasOwn(FUNCTIONS, name);
}

export type ParsedBoardCall =
  | { readonly ok: true; readonly call: BoardCall }
  | { readonly ok: false; readonly issues: readonly { readonly path: string; readonly message: string }[] };

/** Checks the arguments of a taskboard function. */
export function parseBoardCall(name: BoardFunction, args: unknown): ParsedBoardCall {
  const parsed = boardCall.safeParse({ name, input: args });
  if (parsed.success) return { ok: true, call: parsed.data };
  return {
    ok: false,
    issues: parsed.error.issues.map((issue) => ({
      path: issue.path.slice(1).join("."),
      message: issue.message,
    })),
  };
}

const boardCall = z.discriminatedUnion("name", [
  z.object({ name: z.literal("task_create"), input: FUNCTIONS.task_create.input }),
  z.object({ name: z.literal("task_list"), input: FUNCTIONS.task_list.input }),
  z.object({ name: z.literal("task_get"), input: FUNCTIONS.task_get.input }),
  z.object({ name: z.literal("task_comment"), input: FUNCTIONS.task_comment.input }),
  z.object({ name: z.literal("task_complete"), input: FUNCTIONS.task_complete.input }),
  z.object({ name: z.literal("task_block"), input: FUNCTIONS.task_block.input }),
  z.object({ name: z.literal("task_review"), input: FUNCTIONS.task_review.input }),
  z.object({ name: z.literal("task_cancel"), input: FUNCTIONS.task_cancel.input }),
]);
