import { expect, it } from "vitest";
import { chat, delivered } from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";

it("answers a chat, with a tool call on the way", async () => {
  const write = { name: "FileRW", arguments: { action: "write", path: "note.txt", content: "hello" } };
  await team([
    agent("a", {
      rules: [
        { when: { step: 0 }, calls: [write] },
        { when: { step: 1 }, say: "done: {{result}}" },
      ],
    }),
  ]);
  const answer = await chat("a", "write it down");
  expect(answer).toMatchObject({ status: "completed", receipt: { steps: 2, toolCalls: 1, trigger: "chat" } });
  expect(answer.reply).toContain("done:");
  await delivered();
});

it("asks a colleague and answers with what it heard", async () => {
  await team([
    agent("a", {
      rules: [
        { when: { user: "go", step: 0 }, calls: [ask("b", "how are you?")] },
        { when: { step: 1 }, say: "b says: {{result}}" },
      ],
    }),
    agent("b"),
  ]);
  const answer = await chat("a", "go");
  expect(answer.reply).toContain("how are you?");
  await delivered();
});
