import { z } from "zod";
import { defineTool, defineToolSet, fail, ok, secret, toolFunction } from "../../../core/tool.ts";
import { toolContract } from "../../support/tool-contract.ts";

const vault = defineTool({
  name: "Vault",
  description: "Keeps one note behind a password.",
  config: z.strictObject({ password: secret() }),
  input: z.strictObject({ action: z.enum(["show", "keep", "lose"]), note: z.string().optional() }),
  repeatable: ["show"],
  parallel: ["show"],
  execute: async (input, context) => {
    context.signal.throwIfAborted();
    if (input.action === "lose") return fail("Nothing is ever lost here.");
    if (input.action === "keep") await context.state.set("note", input.note ?? "");
    return ok((await context.state.get("note")) ?? "");
  },
});

toolContract(vault, {
  validConfig: { password: "pass word/1" },
  secretInConfig: "pass word/1",
  validCalls: [
    { args: { action: "keep", note: "milk" }, traits: { repeatable: false, parallel: false } },
    { args: { action: "show" }, traits: { repeatable: true, parallel: true } },
    { args: { action: "lose" }, traits: { repeatable: false, parallel: false }, outcome: "fail" },
  ],
  invalidCalls: [{ args: { action: "steal" } }, { args: {} }],
});

const pair = defineToolSet({
  name: "Pair",
  description: "Two functions without actions.",
  config: z.strictObject({}),
  functions: ["pair_left", "pair_right"].map((name) =>
    toolFunction({
      name,
      description: "Says where it is.",
      input: z.strictObject({}),
      repeatable: ["*"],
      parallel: [],
      execute: async (_input, context) => {
        context.signal.throwIfAborted();
        return ok(name);
      },
    }),
  ),
});

toolContract(pair, {
  validConfig: {},
  validCalls: [
    { function: "pair_left", args: {}, traits: { repeatable: true, parallel: false } },
    { function: "pair_right", args: {}, traits: { repeatable: true, parallel: false } },
  ],
  invalidCalls: [{ function: "pair_left", args: { where: "up" } }],
});
