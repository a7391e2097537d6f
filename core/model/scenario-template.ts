/** Texts of a scenario and the placeholders in them, such as `{{user}}` or `{{call.0.1}}`. */
import type { Captures } from "./scenario-pattern.ts";
import { lastResultOf, type Turn } from "./scenario-turn.ts";

/** What the conditions of the chosen rule captured; `calls` by `step.call`. */
export interface RuleCaptures {
  readonly user: Captures;
  readonly result: Captures;
  readonly calls: ReadonlyMap<string, Captures>;
}

export interface TemplateValues {
  readonly turn: Turn;
  readonly captures: RuleCaptures;
  readonly agentId: string;
}

/** A text that one placeholder makes is at most this long, in UTF-16 units. */
const MAX_REPEATED_CHARS = 10_000_000;
const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;
const REPEAT = /^repeat:(.+):(\d{1,8})$/s;
const REFERENCE = /^(user|result|call\.\d+\.\d+|lastResult:[\w-]+)(?:\.(\d+)|\.json\.(.+))?$/;
const CALL = /^call\.(\d+)\.(\d+)$/;

/** The placeholders in `text` that cannot be filled in any request, as they stand there without braces. */
export function unknownPlaceholders(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? "").filter((name) => !isKnown(name));
}

/**
 * Fills every placeholder in one pass; what is inserted is never read for placeholders again.
 * A value that the request does not have becomes `[missing NAME]`, so that a gap is seen.
 */
export function fillTemplate(text: string, values: TemplateValues): string {
  return text.replace(PLACEHOLDER, (_, name: string) => resolve(name, values) ?? `[missing ${name}]`);
}

function isKnown(name: string): boolean {
  if (["step", "turn", "agent", "results"].includes(name)) return true;
  const repeat = REPEAT.exec(name);
  if (repeat !== null) return (repeat[1] ?? "").length * Number(repeat[2]) <= MAX_REPEATED_CHARS;
  const reference = REFERENCE.exec(name);
  const ofNamedTool = reference?.[1]?.startsWith("lastResult:") === true;
  return reference !== null && !(ofNamedTool && reference[2] !== undefined);
}

function resolve(name: string, values: TemplateValues): string | null {
  if (name === "agent") return values.agentId;
  if (name === "step" || name === "turn") return String(values.turn[name]);
  if (name === "results") return listResults(values.turn);
  const repeat = REPEAT.exec(name);
  if (repeat !== null) return (repeat[1] ?? "").repeat(Number(repeat[2]));
  const [, source = "", group, path] = REFERENCE.exec(name) ?? [];
  if (group !== undefined) return capturesOf(source, values.captures)[Number(group)] ?? null;
  const text = sourceText(source, values.turn);
  return path === undefined || text === null ? text : jsonAt(text, path);
}

function capturesOf(source: string, captures: RuleCaptures): Captures {
  if (source === "user") return captures.user;
  if (source === "result") return captures.result;
  return captures.calls.get(source.slice("call.".length)) ?? [];
}

function listResults(turn: Turn): string {
  const answered = turn.calls.flat().filter((call) => call.result !== null);
  return answered.map((call) => `- ${call.name}: ${call.result}`).join("\n");
}

function sourceText(source: string, turn: Turn): string | null {
  if (source === "user") return turn.user;
  if (source === "result") return turn.lastResult?.text ?? null;
  const call = CALL.exec(source);
  if (call !== null) return turn.calls[Number(call[1])]?.[Number(call[2])]?.result ?? null;
  return lastResultOf(turn, source.slice("lastResult:".length));
}

function jsonAt(text: string, path: string): string | null {
  const value = path.split(".").reduce(memberOf, parseJson(text));
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
