/**
 * What every tool must keep, as tests. Call it once at the top of a test file of the tool's:
 * `toolContract(createMyTool(...), { validConfig, validCalls, invalidCalls })`. Runs in Node and workerd.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createRegistry } from "../../core/registry.ts";
import type {
  BoundFunction,
  CallTraits,
  PreparedCall,
  Tool,
  ToolContext,
  ToolResult,
} from "../../core/tool.ts";
import { toolContext } from "./tool-context.ts";

/** A result longer than this would be cut by the engine's default `toolResultChars`; a tool pages instead. */
export const MAX_RESULT_CHARS = 20_000;

/** An aborted call that has not settled by then fails its test; real ones settle at once. */
const ABORT_TIMEOUT_MS = 5_000;

interface ContractCall {
  /** Needed only for tools with several functions; the tool's name otherwise. */
  readonly function?: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface ValidCall extends ContractCall {
  /** What the engine must be told of this call. */
  readonly traits: CallTraits;
  /** Whether the tool does what is asked (the default), or answers or throws that it cannot. */
  readonly outcome?: "ok" | "fail";
}

export interface ToolContractOptions {
  /** As in the config file, with secrets already filled in. */
  readonly validConfig: Readonly<Record<string, unknown>>;
  /** Made one after the other with one context; at least one for every value of `action`. */
  readonly validCalls: readonly ValidCall[];
  readonly invalidCalls: readonly ContractCall[];
  /** Secret values in `validConfig`, which nothing that the tool says may hold. */
  readonly secretInConfig?: string | readonly string[];
  /** For tools whose calls need a prepared state; config, signal and log go into what it returns. */
  readonly makeContext?: (base: ToolContext<unknown>) => ToolContext<unknown>;
}

/** Registers the contract's tests for one tool. */
export function toolContract(tool: Tool, options: ToolContractOptions): void {
  describe(`${tool.name} keeps the contract of tools`, () => {
    describesItself(tool);
    checksItsConfig(tool, options);
    checksItsInput(tool, options);
    saysWhatTheEngineMustKnow(tool, options);
    answersWell(tool, options);
    honoursTheSignal(tool, options);
  });
}

function describesItself(tool: Tool) {
  it("has names, descriptions and an input schema that every provider accepts", () => {
    const offered = createRegistry([tool]).functionsFor([tool.name]);
    expect(offered).toHaveLength(tool.functions.length);
    for (const { definition } of offered) {
      expect(definition.parameters).toMatchObject({ type: "object", additionalProperties: false });
      for (const keyword of ["oneOf", "anyOf", "allOf", "$ref", "$schema"]) {
        expect(definition.parameters).not.toHaveProperty([keyword]);
      }
    }
  });
}

function checksItsConfig(tool: Tool, { validConfig }: ToolContractOptions) {
  it("accepts its config and refuses a key that it does not know", () => {
    expect(tool.configSchema.safeParse(validConfig).success).toBe(true);
    expect(tool.configSchema.safeParse({ ...validConfig, unknownKey: 1 }).success).toBe(false);
  });

  it("refuses a config of the wrong shape without crashing", () => {
    for (const junk of [null, undefined, [], "text", 0, { unknownKey: validConfig }]) {
      expect(tool.configSchema.safeParse(junk).success).toBe(false);
    }
    fc.assert(fc.property(fc.jsonValue(), (junk) => void tool.configSchema.safeParse(junk)));
  });
}

function checksItsInput(tool: Tool, { validCalls, invalidCalls }: ToolContractOptions) {
  it("survives any JSON as arguments", () => {
    fc.assert(
      fc.property(fc.constantFrom(...tool.functions), fc.jsonValue(), (bound, junk) => {
        expectRefusalWithReason(bound.prepare(junk));
      }),
    );
  });

  it("survives valid arguments with any JSON in one of them", () => {
    const fields = validCalls.flatMap((call) => Object.keys(call.args).map((key) => ({ call, key })));
    if (fields.length === 0) return;
    fc.assert(
      fc.property(fc.constantFrom(...fields), fc.jsonValue(), ({ call, key }, junk) => {
        expectRefusalWithReason(functionOf(tool, call).prepare({ ...call.args, [key]: junk }));
      }),
    );
  });

  it("refuses wrong arguments and says why", () => {
    expect(invalidCalls).not.toHaveLength(0);
    for (const call of invalidCalls) {
      const prepared = functionOf(tool, call).prepare(call.args);
      expect({ call, ok: prepared.ok }).toEqual({ call, ok: false });
      expectRefusalWithReason(prepared);
    }
  });
}

function saysWhatTheEngineMustKnow(tool: Tool, { validCalls }: ToolContractOptions) {
  it("says of each action whether it may be repeated and run in parallel", () => {
    for (const call of validCalls) {
      const prepared = prepare(tool, call);
      expect({ call: call.args, traits: prepared.traits }).toEqual({ call: call.args, traits: call.traits });
    }
    for (const bound of tool.functions) {
      const calls = validCalls.filter((call) => functionOf(tool, call) === bound);
      expect(calls, `${bound.name} needs a valid call`).not.toHaveLength(0);
      const tried = calls.map((call) => call.args.action);
      for (const action of actionsOf(tool, bound)) expect(tried).toContain(action);
    }
  });
}

function answersWell(tool: Tool, options: ToolContractOptions) {
  it("answers in text of a bounded size, and tells no secret", async () => {
    const said: string[] = [];
    const context = contextFor(options, { log: (text) => said.push(text) });
    for (const call of options.validCalls) {
      const result = await settle(prepare(tool, call).execute(context));
      if (result instanceof Error) {
        // The engine makes a readable failure of what a tool throws.
        if (call.outcome !== "fail") throw result;
        said.push(String(result));
        continue;
      }
      const text = JSON.stringify(result);
      expect(JSON.parse(text)).toEqual(result);
      expect({ call: call.args, result, ok: result.ok }).toMatchObject({ ok: call.outcome !== "fail" });
      expect((result.ok ? result.content : result.message).length).toBeLessThanOrEqual(MAX_RESULT_CHARS);
      said.push(text);
    }
    expectNoSecret(said, options);
  });
}

function honoursTheSignal(tool: Tool, options: ToolContractOptions) {
  it("does nothing when it is aborted before it starts", { timeout: ABORT_TIMEOUT_MS }, async () => {
    const said: string[] = [];
    const context = contextFor(options, { signal: AbortSignal.abort(), log: (text) => said.push(text) });
    for (const call of options.validCalls) {
      const result = await settle(prepare(tool, call).execute(context));
      expect({ call: call.args, succeeded: !(result instanceof Error) && result.ok }).toMatchObject({
        succeeded: false,
      });
      said.push(result instanceof Error ? String(result) : JSON.stringify(result));
    }
    expectNoSecret(said, options);
  });

  it("ends soon when it is aborted while it works", { timeout: ABORT_TIMEOUT_MS }, async () => {
    for (const call of options.validCalls) {
      const controller = new AbortController();
      const running = settle(prepare(tool, call).execute(contextFor(options, { signal: controller.signal })));
      controller.abort();
      await running;
    }
  });
}

interface ContextParts {
  readonly signal?: AbortSignal;
  readonly log?: (text: string) => void;
}

function contextFor(options: ToolContractOptions, parts: ContextParts): ToolContext<unknown> {
  const base = toolContext({ ...parts, toolConfig: options.validConfig });
  return options.makeContext?.(base) ?? base;
}

function functionOf(tool: Tool, call: ContractCall): BoundFunction {
  const name = call.function ?? tool.name;
  const found = tool.functions.find((bound) => bound.name === name);
  if (found === undefined) throw new Error(`${tool.name} has no function ${name}`);
  return found;
}

function prepare(tool: Tool, call: ContractCall): Extract<PreparedCall, { ok: true }> {
  const prepared = functionOf(tool, call).prepare(call.args);
  if (prepared.ok) return prepared;
  throw new Error(`valid call refused: ${JSON.stringify({ args: call.args, issues: prepared.issues })}`);
}

function expectRefusalWithReason(prepared: PreparedCall) {
  if (prepared.ok) return;
  expect(prepared.issues).not.toHaveLength(0);
  for (const issue of prepared.issues) expect(issue.message).not.toBe("");
}

const actionField = z.object({ properties: z.object({ action: z.object({ enum: z.array(z.string()) }) }) });

/** The values of the function's `action`, as the model is told them. */
function actionsOf(tool: Tool, bound: BoundFunction): readonly string[] {
  const offered = createRegistry([tool]).functionsFor([tool.name]);
  const parameters = offered.find((each) => each.bound === bound)?.definition.parameters;
  const parsed = actionField.safeParse(parameters);
  return parsed.success ? parsed.data.properties.action.enum : [];
}

/** The result, or what was thrown as an Error. */
async function settle(running: Promise<ToolResult>): Promise<ToolResult | Error> {
  try {
    return await running;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function expectNoSecret(said: readonly string[], { secretInConfig = [] }: ToolContractOptions) {
  const text = said.join("\n");
  for (const value of [secretInConfig].flat()) {
    for (const form of [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), btoa(value)]) {
      expect(text.includes(form), "the tool told a secret").toBe(false);
    }
  }
}
