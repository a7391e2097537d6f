import { describe, expect, it } from "vitest";
import { hasEmptyContent, toWireMessages, toWireTools } from "../../core/model/messages.ts";
import type { ChatMessage, ToolCall } from "../../core/model/types.ts";

const assistant = (content: string, ...toolCalls: ToolCall[]): ChatMessage => ({
  role: "assistant",
  content,
  reasoning: "because",
  toolCalls,
});
const call = (name: string, args: string): ToolCall => ({ id: "a", name, arguments: args });
const plain = { emptyContent: "null", sendReasoning: false } as const;

describe("messages on the wire", () => {
  it("keep roles, texts and call ids", () => {
    const messages: ChatMessage[] = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
      assistant("On it", call("f", '{"x":1}')),
      { role: "tool", callId: "a", content: "done" },
    ];
    expect(toWireMessages(messages, plain)).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
      {
        role: "assistant",
        content: "On it",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } }],
      },
      { role: "tool", tool_call_id: "a", content: "done" },
    ]);
  });

  it("show missing text beside calls as null or as empty, and only there", () => {
    const messages = [assistant("", call("f", "{}")), assistant("")];
    const contents = (emptyContent: "null" | "string") =>
      toWireMessages(messages, { ...plain, emptyContent }).map((message) => message.content);
    expect(contents("null")).toEqual([null, ""]);
    expect(contents("string")).toEqual(["", ""]);
    expect(hasEmptyContent(messages)).toBe(true);
    expect(hasEmptyContent([assistant(""), assistant("x", call("f", "{}"))])).toBe(false);
  });

  it("carry reasoning only on demand", () => {
    const [without] = toWireMessages([assistant("x")], plain);
    const [withIt] = toWireMessages([assistant("x")], { ...plain, sendReasoning: true });
    expect(without).not.toHaveProperty("reasoning_content");
    expect(withIt).toMatchObject({ reasoning_content: "because" });
  });

  it.each(['{"x":"lo', "", "null", "[]", '"x"'])("never carry arguments that are no object: %s", (args) => {
    const [message] = toWireMessages([assistant("", call("f", args))], plain);
    expect(message).toMatchObject({ tool_calls: [{ function: { arguments: "{}" } }] });
  });

  it.each([
    ["functions.read file", "functions_read_file"],
    ["", "unnamed"],
    ["x".repeat(70), "x".repeat(64)],
  ])("never carry a function name that providers refuse: %s", (name, expected) => {
    const [message] = toWireMessages([assistant("", call(name, "{}"))], plain);
    expect(message).toMatchObject({ tool_calls: [{ function: { name: expected } }] });
  });

  it("have tools as functions", () => {
    const parameters = { type: "object", properties: {} };
    expect(toWireTools([{ name: "f", description: "Does f.", parameters }])).toEqual([
      { type: "function", function: { name: "f", description: "Does f.", parameters } },
    ]);
  });
});
