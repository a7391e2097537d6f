/** Faults of a config document, each with the path at which a person finds it. */
import type { z } from "zod";

export interface ConfigIssue {
  /** As `agents[0].tools.FileRW.rootPath`; empty for the whole document. A missing key is named too. */
  readonly path: string;
  /** Says what is wrong and what would be right. Never repeats a value from the document. */
  readonly message: string;
}

export type Path = readonly PropertyKey[];

const PLAIN_KEY = /^[A-Za-z_$@][A-Za-z0-9_$@-]*$/;

/** `["agents", 0, "agentId"]` as `agents[0].agentId`; keys that would be ambiguous stand quoted in brackets. */
function formatPath(path: Path): string {
  return path.map(formatSegment).join("").replace(/^\./, "");
}

function formatSegment(segment: PropertyKey): string {
  if (typeof segment === "number") return `[${segment}]`;
  const key = String(segment);
  return PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

export function issueAt(path: Path, message: string): ConfigIssue {
  return { path: formatPath(path), message };
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** An issue before its path is written out. */
export interface Fault {
  readonly path: Path;
  readonly message: string;
}

/** Parses with a zod schema; answers every fault, one for each unknown key, below the path `base`. */
export function parseAt<T>(schema: z.ZodType<T>, input: unknown, base: Path): Parsed<T> {
  const parsed = schema.safeParse(input, { error: describeMissing });
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, faults: parsed.error.issues.flatMap((issue) => faultsOf(issue, base)) };
}

function describeMissing(issue: z.core.$ZodRawIssue): string | undefined {
  return issue.code === "invalid_type" && issue.input === undefined
    ? `Is missing; expected ${issue.expected}`
    : undefined;
}

function faultsOf(issue: z.core.$ZodIssue, base: Path): Fault[] {
  const path = [...base, ...issue.path];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({ path: [...path, key], message: "Unknown key" }));
    case "invalid_key":
      return [{ path, message: issue.issues[0]?.message ?? issue.message }];
    case "invalid_union":
      return unionFaults(issue, path);
    default:
      return [{ path, message: issue.message }];
  }
}

/** Of a union's arms, the one with the fewest faults is most likely what was meant. */
function unionFaults(issue: z.core.$ZodIssueInvalidUnion, path: Path): Fault[] {
  const arms = issue.errors.map((arm) => arm.flatMap((inner) => faultsOf(inner, path)));
  const [closest] = arms.sort((a, b) => a.length - b.length);
  return closest === undefined || closest.length === 0 ? [{ path, message: issue.message }] : closest;
}
