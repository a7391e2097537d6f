/** What a client of A2A is told when something fails: what is meant for it, and nothing of our insides. */
import { A2AError } from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import type { Logger } from "../../core/log.ts";
import { ApiError, errorText } from "../errors.ts";

export interface ReadableDoor {
  readonly handler: A2ARequestHandler;
  /** False as long as nothing but the SDK has looked at the request: what it says then are not our words. */
  readonly wasReached: () => boolean;
}

/** The same handler; the SDK shows the message of whatever it throws. */
export function readable(handler: A2ARequestHandler, log: Logger): ReadableDoor {
  let reached = false;
  const told = (error: unknown) => clientError(error, log);
  const call = async <T>(work: Promise<T>): Promise<T> => {
    reached = true;
    try {
      return await work;
    } catch (error) {
      throw told(error);
    }
  };
  async function* stream<T>(events: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
    try {
      yield* events;
    } catch (error) {
      throw told(error);
    }
  }
  const readableHandler: A2ARequestHandler = {
    getAgentCard: () => handler.getAgentCard(),
    getAuthenticatedExtendedAgentCard: (...asked) => handler.getAuthenticatedExtendedAgentCard(...asked),
    sendMessage: (...asked) => call(handler.sendMessage(...asked)),
    sendMessageStream: (...asked) => stream(handler.sendMessageStream(...asked)),
    getTask: (...asked) => call(handler.getTask(...asked)),
    listTasks: (...asked) => call(handler.listTasks(...asked)),
    cancelTask: (...asked) => call(handler.cancelTask(...asked)),
    resubscribe: (...asked) => stream(handler.resubscribe(...asked)),
    createTaskPushNotificationConfig: (...asked) => handler.createTaskPushNotificationConfig(...asked),
    getTaskPushNotificationConfig: (...asked) => handler.getTaskPushNotificationConfig(...asked),
    listTaskPushNotificationConfigs: (...asked) => handler.listTaskPushNotificationConfigs(...asked),
    deleteTaskPushNotificationConfig: (...asked) => handler.deleteTaskPushNotificationConfig(...asked),
  };
  return { handler: readableHandler, wasReached: () => reached };
}

function clientError(error: unknown, log: Logger): Error {
  if (error instanceof A2AError) return error;
  if (error instanceof ApiError) return new Error(errorText(error));
  log.error("A request to the A2A door failed", error);
  return new Error("Something went wrong inside Parley, or a part of it is not within reach right now.");
}
