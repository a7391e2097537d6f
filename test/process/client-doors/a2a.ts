/** The official A2A client, unchanged, at a started instance. */
import { type Message, Role, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from "@a2a-js/sdk/client";
import {
  ContentTypeNotSupportedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { beforeAll, describe, expect, it } from "vitest";
import { type Door, LONG } from "./door.ts";

const part = (value: string) => ({
  content: { $case: "text" as const, value },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain",
});

const message = (text: string, rest: Partial<Message> = {}): Message => ({
  messageId: crypto.randomUUID(),
  contextId: "",
  taskId: "",
  role: Role.ROLE_USER,
  parts: [part(text)],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...rest,
});

const sent = (text: string, rest: Partial<Message> = {}, returnImmediately = false) => ({
  tenant: "",
  message: message(text, rest),
  configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
  metadata: undefined,
});

function textOf(task: Task): string {
  const content = task.artifacts[0]?.parts[0]?.content;
  return content?.$case === "text" ? content.value : "";
}

function taskIn(result: Message | Task): Task {
  if (!("artifacts" in result)) throw new Error("The answer is no task");
  return result;
}

export const a2aClient = (door: Door) =>
  describe("/a2a", () => {
    const withToken =
      (token: string): typeof fetch =>
      (input, init) => {
        const headers = new Headers(init?.headers);
        headers.set("authorization", `Bearer ${token}`);
        return fetch(input, { ...init, headers });
      };
    const clientFor = (agentId: string, token = door.instance.token): Promise<Client> => {
      const fetchImpl = withToken(token);
      const factory = new ClientFactory(
        ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
          transports: [new JsonRpcTransportFactory({ fetchImpl })],
          cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
        }),
      );
      const card = new URL(`/a2a/${agentId}/.well-known/agent-card.json`, door.instance.viewerUrl);
      return factory.createFromUrl(card.href, "");
    };

    describe("the official client of A2A", () => {
      let clerk: Client;
      let slow: Client;
      beforeAll(async () => {
        [clerk, slow] = await Promise.all([clientFor("clerk"), clientFor("slow")]);
      });

      it("needs a token for the card as for everything", async () => {
        await expect(clientFor("clerk", "wrong-token")).rejects.toThrow("401");
        await expect(clientFor("ghost")).rejects.toThrow("404");
      });

      it("leads a conversation: a context goes on, and another one knows nothing of it", async () => {
        const first = taskIn(await clerk.sendMessage(sent("One?")));
        expect(first.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
        expect(textOf(first)).toBe("I heard: One?");
        const { contextId } = first;
        const second = taskIn(await clerk.sendMessage(sent("Two?", { contextId })));
        expect(second.contextId).toBe(contextId);
        expect(textOf(second)).toContain('{"role":"client","content":"One?"}');
        expect(textOf(second)).toContain('{"role":"you","content":"I heard: One?"}');
        const third = taskIn(await clerk.sendMessage(sent("Three?", { contextId })));
        // What goes along is what was said, not what went along before.
        expect(textOf(third).match(/"content":"One\?"/g)).toHaveLength(1);
        expect(textOf(third)).toContain('{"role":"client","content":"Two?"}');
        expect(textOf(taskIn(await clerk.sendMessage(sent("Four?"))))).toBe("I heard: Four?");
      });

      it("can speak in the agent's own conversation", async () => {
        const task = taskIn(await clerk.sendMessage(sent("Five?", { contextId: "conversation" })));
        expect(task.contextId).toBe("conversation");
        expect(JSON.stringify(await door.api("agents/clerk/conversation"))).toContain("Five?");
      });

      it("reads a stream piece by piece, up to the end", async () => {
        const events: StreamResponse[] = [];
        for await (const event of clerk.sendMessageStream(sent("How many?"))) events.push(event);
        const payloads = events.map(({ payload }) => payload);
        expect(payloads[0]?.$case).toBe("task");
        const pieces = payloads.flatMap((payload) => {
          const content =
            payload?.$case === "artifactUpdate" ? payload.value.artifact?.parts[0]?.content : undefined;
          return content?.$case === "text" ? [content.value] : [];
        });
        expect(pieces.join("")).toBe("I heard: How many?");
        expect(pieces.length).toBeGreaterThan(3);
        const last = payloads.at(-1);
        expect(last?.$case === "statusUpdate" && last.value.status?.state).toBe(
          TaskState.TASK_STATE_COMPLETED,
        );
      });

      it("need not wait: the task is there later, in the list of its context too", async () => {
        const begun = taskIn(
          await slow.sendMessage(sent("Go on.", { contextId: "a-context-of-mine" }, true)),
        );
        expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(begun.status?.state);
        const heard: StreamResponse[] = [];
        for await (const event of slow.resubscribeTask({ tenant: "", id: begun.id })) heard.push(event);
        expect(heard.map(({ payload }) => payload?.$case)).toEqual([
          "task",
          "artifactUpdate",
          "statusUpdate",
        ]);
        const task = await slow.getTask({ tenant: "", id: begun.id });
        expect(textOf(task)).toBe(LONG);
        const { tasks } = await slow.listTasks({
          tenant: "",
          contextId: "a-context-of-mine",
          status: TaskState.TASK_STATE_UNSPECIFIED,
          pageToken: "",
          statusTimestampAfter: undefined,
        });
        expect(tasks.map(({ id }) => id)).toEqual([begun.id]);
      });

      it("ends a task, once", async () => {
        const begun = taskIn(await slow.sendMessage(sent("Go on.", {}, true)));
        const ended = await slow.cancelTask({ tenant: "", id: begun.id, metadata: undefined });
        expect(ended.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
        await expect(
          slow.cancelTask({ tenant: "", id: begun.id, metadata: undefined }),
        ).rejects.toBeInstanceOf(TaskNotCancelableError);
      });

      it("gets its own errors", async () => {
        await expect(clerk.getTask({ tenant: "", id: "none" })).rejects.toBeInstanceOf(TaskNotFoundError);
        const foreign = taskIn(await slow.sendMessage(sent("Go on.", {}, true)));
        await expect(clerk.getTask({ tenant: "", id: foreign.id })).rejects.toBeInstanceOf(TaskNotFoundError);
        await expect(slow.sendMessage(sent("More.", { taskId: foreign.id }))).rejects.toBeInstanceOf(
          UnsupportedOperationError,
        );
        const file = { ...part(""), content: { $case: "url" as const, value: "https://shop.test/x.png" } };
        await expect(clerk.sendMessage(sent("", { parts: [file] }))).rejects.toBeInstanceOf(
          ContentTypeNotSupportedError,
        );
        const full = await clientFor("full");
        await expect(full.sendMessage(sent("Hello?"))).rejects.toThrow("queue is full");
        const broken = taskIn(await (await clientFor("broken")).sendMessage(sent("Hello?")));
        expect(broken.status?.state).toBe(TaskState.TASK_STATE_FAILED);
      });

      it("may be one of the older generation", async () => {
        const response = await withToken(door.instance.token)(
          new URL("/a2a/clerk", door.instance.viewerUrl),
          {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({
              jsonrpc: "2.0",
              id: 7,
              method: "message/send",
              params: {
                message: {
                  kind: "message",
                  role: "user",
                  messageId: "m1",
                  parts: [{ kind: "text", text: "Six?" }],
                },
              },
            }),
          },
        );
        expect(await response.json()).toMatchObject({
          id: 7,
          result: {
            kind: "task",
            status: { state: "completed" },
            artifacts: [{ parts: [{ text: "I heard: Six?" }] }],
          },
        });
      });
    });
  });
