/**
 * One agent as an A2A server: a task is a run. Everything is read from the agent's object, so that any isolate can
 * answer for any task, also after a restart.
 */
import type {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { TaskState } from "@a2a-js/sdk";
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { inputInContext } from "../../core/agent/earlier-exchanges.ts";
import type { OutsideTask } from "../../core/agent/outside-tasks.ts";
import { objectNameOf } from "../../core/ids.ts";
import type { NewRun } from "../../core/journal/runs.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import { executeRun, newRootRun, streamRun, submitRun } from "../execute-run.ts";
import { agentStub } from "../objects.ts";
import { OWN_CONVERSATION } from "./context.ts";
import { badContext, incomingMessage } from "./incoming.ts";
import { runStream } from "./run-stream.ts";
import { isOver, replyPiece, statusOf, statusUpdate, taskOf, textPart } from "./task.ts";

const PAGE = 20;

type Begun = NewRun & Required<Pick<NewRun, "context">>;

/** Whose request it is, to which agent. */
export interface A2ADoor {
  readonly env: Env;
  readonly agentId: string;
  readonly card: AgentCard;
  /** The client, see `ownerOf`: it sees no tasks but its own. */
  readonly owner: string;
  /** Aborted when the client has left its stream. */
  readonly left: AbortSignal;
}

export class RunRequestHandler implements A2ARequestHandler {
  readonly #door: A2ADoor;

  constructor(door: A2ADoor) {
    this.#door = door;
  }

  async getAgentCard(): Promise<AgentCard> {
    return this.#door.card;
  }

  async getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    throw new UnsupportedOperationError("There is no extended card.");
  }

  async sendMessage({ message, configuration }: SendMessageRequest): Promise<Task> {
    const { env, agentId } = this.#door;
    const run = await this.#begin(message);
    if (configuration?.returnImmediately === true) await submitRun(env, agentId, run);
    else await executeRun(env, agentId, run);
    return taskOf(await this.#task(run.runId), configuration?.historyLength);
  }

  async *sendMessageStream({
    message,
    configuration,
  }: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { env, agentId, left } = this.#door;
    const run = await this.#begin(message);
    const events = await streamRun(env, agentId, run);
    const task = taskOf(await this.#task(run.runId), configuration?.historyLength);
    yield { payload: { $case: "task", value: task } };
    yield* runStream({ runId: run.runId, contextId: run.context.contextId }, events, left);
  }

  async getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    return taskOf(await this.#task(id), historyLength);
  }

  async listTasks(asked: ListTasksRequest): Promise<ListTasksResponse> {
    const { contextId, status, pageToken, historyLength, statusTimestampAfter: after } = asked;
    const { env, agentId, owner } = this.#door;
    const pageSize = asked.pageSize ?? PAGE;
    if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100)
      throw new RequestMalformedError("pageSize must be between 1 and 100.");
    if (pageToken !== "" && !/^\d{1,15}$/.test(pageToken))
      throw new RequestMalformedError("That is no pageToken.");
    const page = await again(() =>
      agentStub(env, agentId).outsideTasks({
        owner,
        contextId: contextId === "" ? null : contextId,
        before: pageToken === "" ? null : Number(pageToken),
        limit: Math.min(pageSize, PAGE),
      }),
    );
    const since = after === undefined || after === "" ? Number.NEGATIVE_INFINITY : Date.parse(after);
    const tasks = page.tasks
      .map((run) => taskOf(run, historyLength))
      .filter((task) => status === TaskState.TASK_STATE_UNSPECIFIED || task.status?.state === status)
      .filter((task) => !(Date.parse(task.status?.timestamp ?? "") < since))
      .map((task) => (asked.includeArtifacts === true ? task : { ...task, artifacts: [] }));
    return {
      tasks,
      nextPageToken: page.next === null ? "" : String(page.next),
      pageSize: Math.min(pageSize, PAGE),
      totalSize: tasks.length,
    };
  }

  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    const before = await this.#task(id);
    if (isOver(before)) throw new TaskNotCancelableError(`The task ${id} is over.`);
    const request = { status: "cancelled", reason: "cancelled_by_person" } as const;
    const { env, agentId } = this.#door;
    await again(() => agentStub(env, agentId).cancel(id, request));
    await this.#end(id);
    const after = await this.#task(id);
    if (after.ending?.status !== "cancelled") throw new TaskNotCancelableError(`The task ${id} is over.`);
    return taskOf(after, undefined);
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const before = await this.#task(id);
    if (isOver(before)) throw new UnsupportedOperationError(`The task ${id} is over; get it instead.`);
    yield { payload: { $case: "task", value: taskOf(before, undefined) } };
    await this.#end(id);
    const after = await this.#task(id);
    if (after.reply !== "") yield replyPiece(after, [textPart(after.reply)], { append: false, last: true });
    yield statusUpdate(after, statusOf(after));
  }

  async createTaskPushNotificationConfig(): Promise<TaskPushNotificationConfig> {
    throw new PushNotificationNotSupportedError();
  }

  async getTaskPushNotificationConfig(): Promise<TaskPushNotificationConfig> {
    throw new PushNotificationNotSupportedError();
  }

  async listTaskPushNotificationConfigs(): Promise<ListTaskPushNotificationConfigsResponse> {
    throw new PushNotificationNotSupportedError();
  }

  async deleteTaskPushNotificationConfig(): Promise<void> {
    throw new PushNotificationNotSupportedError();
  }

  /** The run that a message becomes, in its context. */
  async #begin(message: SendMessageRequest["message"]): Promise<Begun> {
    const { text, contextId: asked } = incomingMessage(message);
    const { env, agentId, owner } = this.#door;
    const isTurn = asked === OWN_CONVERSATION;
    const run = newRootRun(
      isTurn
        ? { agentId, trigger: "chat", lane: "conversation", message: text }
        : { agentId, trigger: "run", lane: "isolated", message: text },
    );
    // Without a context of the client's the first run names it.
    const context = { owner, contextId: asked ?? run.runId };
    if (asked === null || isTurn) return { ...run, context };
    const earlier = await again(() => agentStub(env, agentId).earlierInContext(context));
    if (earlier === null) throw badContext();
    return { ...run, input: inputInContext(text, earlier.exchanges, earlier.chars), context };
  }

  async #task(runId: string): Promise<OutsideTask> {
    if (runId.trim() === "") throw new RequestMalformedError("The task's id is required.");
    const { env, agentId, owner } = this.#door;
    const isOurs = objectNameOf(runId) === agentId;
    const task = isOurs ? await again(() => agentStub(env, agentId).outsideTask(owner, runId)) : null;
    if (task === null) throw new TaskNotFoundError(`There is no task ${runId.slice(0, 200)}.`);
    return task;
  }

  async #end(runId: string): Promise<void> {
    const { env, agentId } = this.#door;
    await again(() => agentStub(env, agentId).result(runId));
  }
}
