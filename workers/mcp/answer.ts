/** What the tools of this door answer: data of bounded size, and errors that can be read. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Logger } from "../../core/log.ts";
import { cutToUnits } from "../../core/record/stored-text.ts";
import { ApiError } from "../errors.ts";

/** Characters of one text in an answer; the API has it whole. */
const TEXT_CHARS = 8_000;
/** Characters of a whole answer. */
const ANSWER_CHARS = 200_000;

/** Never rejects: what the door refuses is told to the model that asked, mistakes of ours go to the log. */
export async function answering(log: Logger, work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) return failed(sentence(error));
    log.error("A tool of the MCP door failed", error);
    return failed("Something went wrong inside Parley, or a part of it is not within reach right now.");
  }
}

export function failed(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}

function sentence({ message, issues }: ApiError): string {
  return [message, ...(issues ?? []).map(({ path, message: said }) => `${path}: ${said}.`)].join(" ");
}

/** JSON with its long texts cut. */
export function shown(value: Record<string, unknown>): CallToolResult {
  const text = JSON.stringify(value, (_key, item) => (typeof item === "string" ? cutText(item) : item));
  if (text.length > ANSWER_CHARS) return failed("The answer would be too large. Ask for less at once.");
  return { content: [{ type: "text", text }], structuredContent: Object(JSON.parse(text)) };
}

/** Says how much is missing. */
export function cutText(text: string): string {
  if (text.length <= TEXT_CHARS) return text;
  return `${cutToUnits(text, TEXT_CHARS)} [${text.length - TEXT_CHARS} more characters]`;
}
