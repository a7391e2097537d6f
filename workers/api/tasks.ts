import { type Context, Hono } from "hono";
import { z } from "zod";
import { actOnTask } from "../../core/board/act.ts";
import { listTasks } from "../../core/board/list.ts";
import { wholeTask } from "../../core/board/long-fields.ts";
import type { Act } from "../../core/board/policy.ts";
import { readEvents, readTask } from "../../core/board/store.ts";
import { listedTask, taskView } from "../../core/board/view.ts";
import { TASK_STATUSES } from "../../core/board/vocabulary.ts";
import { again } from "../../durable-objects/again.ts";
import type { AppEnv } from "../app-env.ts";
import { workerBoard } from "../board.ts";
import { checkQuery, readJson } from "../body.ts";
import { ApiError } from "../errors.ts";
import { hubStub } from "../objects.ts";
import { createTaskAsPerson, personActs, scrubbedBody } from "../person-task.ts";
import { readerOf } from "../server-timing.ts";

const listQuery = z.object({
  status: z.enum(TASK_STATUSES).optional(),
  assignee: z.string().max(200).optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(200),
});

const text = z.string().min(1).max(8_000_000);
const acts = {
  comments: z.strictObject({ text }).transform((body): Act => ({ kind: "comment", text: body.text })),
  complete: z
    .strictObject({ result: text })
    .transform((body): Act => ({ kind: "complete", result: body.result })),
  block: z.strictObject({ reason: text }).transform((body): Act => ({ kind: "block", reason: body.reason })),
  review: z
    .strictObject({ decision: z.enum(["accept", "reject"]), comment: z.string().default("") })
    .transform((body): Act => ({ kind: "review", ...body })),
  cancel: z
    .strictObject({ reason: z.string().default("") })
    .transform((body): Act => ({ kind: "cancel", ...body })),
};

export const taskRoutes = new Hono<AppEnv>()
  /** Newest first. The cursor for older ones stands in the header `X-Older`. */
  .get("/", checkQuery(listQuery), async (context) => {
    const reader = readerOf(context);
    const page = await listTasks(reader, context.req.valid("query"));
    if (page === null)
      throw new ApiError("bad_request", "That is no cursor.", [{ path: "cursor", message: "bad_cursor" }]);
    if (page.cursor !== null) context.header("X-Older", page.cursor);
    return context.json(page.tasks.map(listedTask));
  })
  .post("/", async (context) => {
    const task = await createTaskAsPerson(context.env, await readJson(context));
    return context.json(taskView(task), 201);
  })
  .get("/:id", async (context) => {
    const reader = readerOf(context);
    const task = await readTask(reader, context.req.param("id"));
    if (task === null) throw new ApiError("not_found", "There is no task with that id.");
    const events = await readEvents(reader, task.taskId);
    return context.json({ ...taskView(await wholeTask(context.env.TEXTS, task)), events });
  })
  .post("/:id/comments", async (context) =>
    context.json(await actAsPerson(context, context.req.param("id"), acts.comments)),
  )
  .post("/:id/complete", async (context) =>
    context.json(await actAsPerson(context, context.req.param("id"), acts.complete)),
  )
  .post("/:id/block", async (context) =>
    context.json(await actAsPerson(context, context.req.param("id"), acts.block)),
  )
  .post("/:id/review", async (context) =>
    context.json(await actAsPerson(context, context.req.param("id"), acts.review)),
  )
  .post("/:id/cancel", async (context) =>
    context.json(await actAsPerson(context, context.req.param("id"), acts.cancel)),
  );

/** Throws ApiError when the taskboard refuses the act. */
async function actAsPerson(context: Context<AppEnv>, taskId: string, body: z.ZodType<Act>) {
  const actor = personActs();
  const directory = await again(() => hubStub(context.env).directory());
  const act = scrubbedBody(context.env, directory, { value: await readJson(context), schema: body });
  const acted = await actOnTask(workerBoard(context.env), { uid: actor.runId, taskId, actor, act });
  if (acted.ok) return taskView(acted.value);
  if (acted.code === "no_such_task") throw new ApiError("not_found", "There is no task with that id.");
  throw new ApiError("refused", `Denied (${acted.code}): ${acted.reason}`, [
    { path: "", message: acted.code },
  ]);
}
