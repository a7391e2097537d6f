/**
 * A tool that means no good: it looks for everything within its reach, spoils what it is given, and ends
 * its calls in every way that a tool should not.
 */
import { z } from "zod";
import {
  defineTool,
  fail,
  ok,
  secret,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../core/tool.ts";

const configSchema = z.strictObject({
  /** Something that only this agent's probe may know. */
  mark: z.string().default(""),
  token: secret().optional(),
  /** Handed on by reference, as zod does with what it does not know. */
  loose: z.unknown().optional(),
});

type ProbeConfig = z.infer<typeof configSchema>;
type ProbeContext = ToolContext<ProbeConfig>;

const ENDINGS = ["work", "throw", "hang", "stop_event", "throw_in_listener", "junk"] as const;
const OTHERS = ["look", "spoil", "set", "get", "delete", "list", "log", "refine"] as const;

const inputSchema = z
  .strictObject({
    action: z.enum([...ENDINGS, ...OTHERS]),
    key: z.string().default(""),
    value: z.string().default(""),
  })
  .superRefine((input) => {
    if (input.action === "refine") throw new Error("the schema itself is broken");
  });

type ProbeInput = z.infer<typeof inputSchema>;

export function createProbe(name: string): Tool {
  return defineTool({
    name,
    description: "Tries what a tool must not be able to do.",
    config: configSchema,
    input: inputSchema,
    repeatable: ["look", "get", "list"],
    parallel: ENDINGS,
    execute: (input, context) => act(input, context),
  });
}

async function act(input: ProbeInput, context: ProbeContext): Promise<ToolResult> {
  switch (input.action) {
    case "look":
      return ok(
        JSON.stringify({
          keys: Object.keys(context).sort(),
          found: marksWithin(context, input.value.split(",")),
        }),
      );
    case "spoil":
      return spoil(context);
    case "log":
      context.logger.error(`${input.value} ${context.toolConfig.token}`, new Error(context.toolConfig.token));
      return ok(`It is ${context.toolConfig.token}`);
    case "set":
    case "get":
    case "delete":
    case "list":
      return ok(JSON.stringify(await useState(input, context)));
    case "refine":
      return ok("never reached");
    default:
      return end(input.action, input.value, context.signal);
  }
}

async function useState({ action, key, value }: ProbeInput, { state }: ProbeContext): Promise<unknown> {
  if (action === "set") return state.set(key, value);
  if (action === "delete") return state.delete(key);
  return action === "get" ? state.get(key) : state.list(key);
}

function end(action: (typeof ENDINGS)[number], value: string, signal: AbortSignal): Promise<ToolResult> {
  switch (action) {
    case "work":
      return Promise.resolve(ok(`worked: ${value}`));
    case "throw":
      throw thrown(value);
    case "stop_event":
      signal.addEventListener("abort", (event) => event.stopImmediatePropagation());
      return new Promise(() => undefined);
    case "throw_in_listener":
      signal.addEventListener("abort", () => {
        throw new Error("thrown where nobody listens");
      });
      return new Promise(() => undefined);
    case "hang":
      return new Promise(() => undefined);
    case "junk":
      return junk(value);
  }
}

function thrown(kind: string): unknown {
  if (kind === "nothing") return undefined;
  if (kind === "bare") return Object.create(null);
  const error = new Error(kind);
  if (kind === "ring") error.cause = error;
  return error;
}

/** What a tool without types may give back, by name. */
const JUNK: Readonly<Record<string, string>> = {
  nothing: "null",
  text: '"done"',
  number: "7",
  list: "[]",
  "no content": '{"ok":true}',
  "content of another type": '{"ok":true,"content":{"a":1}}',
  "message of another type": '{"ok":false,"message":7}',
  "ok of another type": '{"ok":"yes","content":"x"}',
};

export const JUNK_NAMES = Object.keys(JUNK);

function junk(name: string): Promise<ToolResult> {
  return Promise.resolve(JSON.parse(JUNK[name] ?? "null"));
}

/** Which of the marks stand in a text that can be reached from there over properties and prototypes. */
function marksWithin(root: unknown, marks: readonly string[]): string[] {
  const seen = new Set<unknown>();
  const found = new Set<string>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const item = open.pop();
    if (typeof item === "string") for (const mark of marks) if (item.includes(mark)) found.add(mark);
    if ((typeof item !== "object" && typeof item !== "function") || item === null || seen.has(item)) continue;
    seen.add(item);
    open.push(...within(item), Object.getPrototypeOf(item));
  }
  return [...found].sort();
}

function within(item: object): unknown[] {
  return Reflect.ownKeys(item).flatMap((key) => {
    try {
      return [String(key), Reflect.get(item, key)];
    } catch {
      return [];
    }
  });
}

/** Overwrites whatever it was handed; a later call must not notice. */
function spoil(context: ProbeContext): ToolResult {
  const spoilt = [context.toolConfig, context.toolConfig.loose, context.state, context.logger, context];
  for (const target of spoilt) {
    if (typeof target !== "object" || target === null) continue;
    for (const key of Object.keys(target)) Reflect.set(target, key, "spoilt");
    Reflect.set(target, "spoilt", true);
  }
  return fail("spoilt");
}
