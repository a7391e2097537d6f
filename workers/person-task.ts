/** A task that a person gives, through whatever door. */
import type { z } from "zod";
import { createTask } from "../core/board/create.ts";
import { newTaskInput } from "../core/board/functions.ts";
import type { Actor, TaskRow } from "../core/board/task.ts";
import { HUMAN } from "../core/board/vocabulary.ts";
import { NOTHING_SPENT } from "../core/chain/budget.ts";
import type { Directory } from "../core/hub/directory.ts";
import { NO_ROWS } from "../core/record/rows.ts";
import { writeRecord } from "../core/record/write-record.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { chainPort } from "../durable-objects/ports.ts";
import { workerBoard } from "./board.ts";
import { checkBody } from "./body.ts";
import { instanceOf } from "./config-store.ts";
import { ApiError } from "./errors.ts";
import { hubStub } from "./objects.ts";
import { personActId } from "./person.ts";
import { knownScrubber } from "./wiring.ts";

/** A person's act: its id serves as run and root, and it has no receipt. */
export function personActs(): Actor {
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

/** Throws ApiError for what has faults, and for what the taskboard refuses. */
export async function createTaskAsPerson(env: Env, value: unknown): Promise<TaskRow> {
  const creator = personActs();
  const directory = await again(() => hubStub(env).directory());
  const task = scrubbedBody(env, directory, { value, schema: newTaskInput });
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
  if (created.ok) return created.task;
  await writeRecord(env.DB, env.TEXTS, { ...NO_ROWS, messages: created.rows });
  throw new ApiError("bad_request", `Denied (${created.code}): ${created.reason}`, [
    { path: "assignee", message: created.code },
  ]);
}

interface Written<T> {
  readonly value: unknown;
  readonly schema: z.ZodType<T>;
}

/** What a person writes is scrubbed like everything else. */
export function scrubbedBody<T>(env: Env, directory: Directory, { value, schema }: Written<T>): T {
  const scrubber = knownScrubber(env, instanceOf(directory).plainVars);
  return checkBody(scrubber.scrubJson(value), schema);
}
