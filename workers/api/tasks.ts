import { type Context, Hono } from "hono";
import { z } from "zod";
import { actOnTask } from "../../core/board/act.ts";
import { createTask } from "../../core/board/create.ts";
import { newTaskInput } from "../../core/board/functions.ts";
import { listTasks } from "../../core/board/list.ts";
import { wholeTask } from "../../core/board/long-fields.ts";
import type { Act } from "../../core/board/policy.ts";
import { readEvents, readTask } from "../../core/board/store.ts";
import type { Actor } from "../../core/board/task.ts";
import { listedTask, taskView } from "../../core/board/view.ts";
import { HUMAN, TASK_STATUSES } from "../../core/board/vocabulary.ts";
import { NOTHING_SPENT } from "../../core/chain/budget.ts";
import type { Directory } from "../../core/hub/directory.ts";
import { NO_ROWS } from "../../core/record/rows.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { again } from "../../durable-objects/again.ts";
import { chainPort } from "../../durable-objects/ports.ts";
import type { AppEnv } from "../app-env.ts";
import { workerBoard } from "../board.ts";
import { checkBody, checkQuery, readJson } from "../body.ts";
import { instanceOf } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { hubStub } from "../objects.ts";
import { personActId } from "../person.ts";
import { readerOf } from "../server-timing.ts";
import { knownScrubber } from "../wiring.ts";

/** A person's act: its id serves as run and root, and it has no receipt. */
function personActs(): Actor {
  const id = personActId();
  return {
    name: HUMAN,
    objectName: null,
    lane: "conversation",
    runId: id,
    parentRunId: null,
    rootRunId: id,
    depth: 1,
    taskId: null,
  };
}

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
    const { env } = context;
    const creator = personActs();
    const directory = await again(() => hubStub(env).directory());
    const task = await readScrubbedBody(context, newTaskInput, directory);
    const created = await createTask(workerBoard(env), {
      uid: creator.runId,
      creator,
      task,
      directory: directory.agents,
      colleagues: ["*"],
      chain: chainPort(env, creator.rootRunId),
      limits: instanceOf(directory).perChain,
      spent: { runId: creator.runId, ...NOTHING_SPENT },
    });
    if (!created.ok) {
      await writeRecord(env.DB, env.TEXTS, { ...NO_ROWS, messages: created.rows });
      throw new ApiError("bad_request", `Denied (${created.code}): ${created.reason}`, [
        { path: "assignee", message: created.code },
      ]);
    }
    return context.json(taskView(created.task), 201);
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
  const act = await readScrubbedBody<Act>(context, body, directory);
  const acted = await actOnTask(workerBoard(context.env), { uid: actor.runId, taskId, actor, act });
  if (acted.ok) return taskView(acted.value);
  if (acted.code === "no_such_task") throw new ApiError("not_found", "There is no task with that id.");
  throw new ApiError("refused", `Denied (${acted.code}): ${acted.reason}`, [
    { path: "", message: acted.code },
  ]);
}

/** What a person writes is scrubbed like everything else. */
async function readScrubbedBody<T>(
  context: Context<AppEnv>,
  schema: z.ZodType<T>,
  directory: Directory,
): Promise<T> {
  const scrubber = knownScrubber(context.env, instanceOf(directory).plainVars);
  return checkBody(scrubber.scrubJson(await readJson(context)), schema);
}
