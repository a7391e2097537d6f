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
import type { OutsideTask } from "../../core/agent/outside-tasks.ts";
import { objectNameOf } from "../../core/ids.ts";
import type { NewRun } from "../../core/journal/runs.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import { shownChars } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { executeRun, newRootRun, streamRun, submitRun } from "../execute-run.ts";
import { agentStub } from "../objects.ts";
import { inputInContext, OWN_CONVERSATION } from "./context.ts";
import { badContext, incomingMessage } from "./incoming.ts";
import { runStream } from "./run-stream.ts";
import { isOver, replyPiece, statusOf, statusUpdate, taskOf, textPart } from "./task.ts";

const PAGE = 20;

interface Begun {
  readonly run: NewRun;
  readonly contextId: string;
}

export class RunRequestHandler implements A2ARequestHandler {
  readonly #env: Env;
  readonly #agentId: string;
  readonly #card: AgentCard;

  constructor(env: Env, agentId: string, card: AgentCard) {
    this.#env = env;
    this.#agentId = agentId;
    this.#card = card;
  }

  async getAgentCard(): Promise<AgentCard> {
    return this.#card;
  }

  async getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    throw new UnsupportedOperationError("There is no extended card.");
  }

  async sendMessage({ message, configuration }: SendMessageRequest): Promise<Task> {
    const begun = await this.#begin(message);
    const { run } = begun;
    await this.#orLeave(begun, async () => {
      if (configuration?.returnImmediately === true) await submitRun(this.#env, this.#agentId, run);
      else await executeRun(this.#env, this.#agentId, run);
    });
    return taskOf(await this.#task(run.runId), configuration?.historyLength);
  }

  async *sendMessageStream({
    message,
    configuration,
  }: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const begun = await this.#begin(message);
    const { run, contextId } = begun;
    const events = await this.#orLeave(begun, () => streamRun(this.#env, this.#agentId, run));
    const task = taskOf(await this.#task(run.runId), configuration?.historyLength);
    yield { payload: { $case: "task", value: task } };
    yield* runStream({ runId: run.runId, contextId }, events);
  }

  async getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    return taskOf(await this.#task(id), historyLength);
  }

  async listTasks(asked: ListTasksRequest): Promise<ListTasksResponse> {
    const { contextId, status, pageToken, historyLength, statusTimestampAfter: after } = asked;
    const pageSize = asked.pageSize ?? PAGE;
    if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100)
      throw new RequestMalformedError("pageSize must be between 1 and 100.");
    if (pageToken !== "" && !/^\d{1,15}$/.test(pageToken))
      throw new RequestMalformedError("That is no pageToken.");
    const page = await again(() =>
      agentStub(this.#env, this.#agentId).outsideTasks({
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
    await again(() => agentStub(this.#env, this.#agentId).cancel(id, request));
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
    const agentId = this.#agentId;
    const isTurn = asked === OWN_CONVERSATION;
    const run = newRootRun(
      isTurn
        ? { agentId, trigger: "chat", lane: "conversation", message: text }
        : { agentId, trigger: "run", lane: "isolated", message: text },
    );
    // Without a context of the client's the first run names it.
    const contextId = asked ?? run.runId;
    const earlier = await again(() => agentStub(this.#env, agentId).joinContext(contextId, run.runId));
    if (earlier === null) throw badContext();
    if (isTurn || earlier.length === 0) return { run, contextId };
    const chars = await shownChars(this.#env, agentId);
    return { run: { ...run, input: inputInContext(text, earlier, chars) }, contextId };
  }

  async #orLeave<T>({ run }: Begun, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError)
        await again(() => agentStub(this.#env, this.#agentId).leaveContext(run.runId));
      throw error;
    }
  }

  async #task(runId: string): Promise<OutsideTask> {
    if (runId.trim() === "") throw new RequestMalformedError("The task's id is required.");
    const isOurs = objectNameOf(runId) === this.#agentId;
    const task = isOurs ? await again(() => agentStub(this.#env, this.#agentId).outsideTask(runId)) : null;
    if (task === null) throw new TaskNotFoundError(`There is no task ${runId.slice(0, 200)}.`);
    return task;
  }

  async #end(runId: string): Promise<void> {
    await again(() => agentStub(this.#env, this.#agentId).result(runId));
  }
}
