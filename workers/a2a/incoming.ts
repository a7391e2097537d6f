/** What a client of A2A sends, as a message to an agent. No I/O. */
import type { Message } from "@a2a-js/sdk";
import {
  ContentTypeNotSupportedError,
  RequestMalformedError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { CONTEXT_ID } from "./context.ts";

export interface Incoming {
  readonly text: string;
  /** Null when the client wants a new context. */
  readonly contextId: string | null;
}

/** As of a message to the API. */
const MAX_CHARS = 8_000_000;

/** Throws the SDK's errors. */
export function incomingMessage(message: Message | undefined): Incoming {
  if (message === undefined) throw new RequestMalformedError("message is required.");
  if (message.taskId !== "")
    throw new UnsupportedOperationError(
      "A task here takes one message. Send the next one without taskId, with the task's contextId.",
    );
  const text = message.parts
    .map(partText)
    .filter((part) => part.trim() !== "")
    .join("\n\n");
  if (text === "") throw new RequestMalformedError("The message must hold some text.");
  if (text.length > MAX_CHARS) throw new RequestMalformedError(`A message may have ${MAX_CHARS} characters.`);
  const { contextId } = message;
  if (contextId !== "" && !CONTEXT_ID.test(contextId)) throw badContext();
  return { text, contextId: contextId === "" ? null : contextId };
}

export function badContext(): RequestMalformedError {
  return new RequestMalformedError(
    "contextId: 1 to 128 letters, digits, '.', '_', ':' and '-', nothing that looks like a credential.",
  );
}

function partText({ content }: Message["parts"][number]): string {
  switch (content?.$case) {
    case "text":
      return content.value;
    case "data":
      return JSON.stringify(content.value) ?? "";
    default:
      throw new ContentTypeNotSupportedError(
        "Only text and data are taken: no files and no addresses of files.",
      );
  }
}
