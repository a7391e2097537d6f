/** The scenario document that the scripted model plays; `docs/scenarios.md` describes it for authors. */
import { z } from "zod";
import { patternFault } from "./scenario-pattern.ts";
import { unknownPlaceholders } from "./scenario-template.ts";

const MODEL_ERROR_CODES = [
  "rate_limited",
  "quota",
  "overloaded",
  "network",
  "bad_response",
  "timeout",
  "context_overflow",
  "auth",
  "not_found",
  "bad_request",
] as const;

const milliseconds = z.int().min(0).max(3_600_000);
const tokens = z.int().min(0);

const pattern = z.string().superRefine((text, context) => {
  const fault = patternFault(text);
  if (fault !== null) context.addIssue({ code: "custom", message: fault });
});

const template = z.string().superRefine((text, context) => {
  for (const name of unknownPlaceholders(text)) {
    context.addIssue({ code: "custom", message: `Unknown placeholder {{${name.slice(0, 80)}}}.` });
  }
});

/** Any JSON value whose strings are templates. */
type TemplateJson = string | number | boolean | null | TemplateJson[] | { [key: string]: TemplateJson };
const templateJson: z.ZodType<TemplateJson> = z.lazy(() =>
  z.union([
    template,
    z.number(),
    z.boolean(),
    z.null(),
    z.array(templateJson),
    z.record(z.string(), templateJson),
  ]),
);

const when = z.strictObject({
  user: pattern.optional(),
  system: pattern.optional(),
  turn: z.int().min(0).optional(),
  step: z
    .union([
      z.int().min(0),
      z.strictObject({ from: z.int().min(0).optional(), to: z.int().min(0).optional() }),
    ])
    .optional(),
  lastTool: z.string().min(1).optional(),
  result: pattern.optional(),
  calls: z
    .record(z.string().regex(/^\d+\.\d+$/, "Name a call as step.call, such as 0.1."), pattern)
    .optional(),
});

const call = z.strictObject({
  name: template.min(1),
  arguments: z.union([template, z.record(z.string(), templateJson)]).default({}),
});

const actionFields = {
  say: template.optional(),
  reasoning: template.optional(),
  calls: z.array(call).min(1).optional(),
  delayMs: milliseconds.optional(),
  stream: z.strictObject({ chars: z.int().min(1), delayMs: milliseconds.default(0) }).optional(),
  fail: z
    .strictObject({
      code: z.enum(MODEL_ERROR_CODES),
      message: template.default("The scenario makes this model call fail."),
      status: z.int().min(100).max(599).nullable().default(null),
      retryAfterMs: z.int().min(0).nullable().default(null),
    })
    .optional(),
  finish: z.enum(["stop", "tool_calls", "length", "refusal", "content_filter"]).optional(),
  usage: z
    .strictObject({
      inputTokens: tokens,
      cachedInputTokens: tokens.default(0),
      outputTokens: tokens,
      reasoningTokens: tokens.default(0),
    })
    .nullable()
    .optional(),
};

const answersSomething = (action: { say?: unknown; calls?: unknown; fail?: unknown }) =>
  action.say !== undefined || action.calls !== undefined || action.fail !== undefined;
const NO_ANSWER = "Give at least one of say, calls and fail.";

/** The schema of a parsed scenario document; unknown keys are refused. */
const scenarioSchema = z.strictObject({
  rules: z.array(z.strictObject({ when, ...actionFields }).refine(answersSomething, NO_ANSWER)),
  otherwise: z.strictObject(actionFields).refine(answersSomething, NO_ANSWER).optional(),
});

export type Scenario = z.infer<typeof scenarioSchema>;

export type ScenarioWhen = Scenario["rules"][number]["when"];
/** What a rule, or `otherwise`, makes the model do. */
export type ScenarioAction = NonNullable<Scenario["otherwise"]>;

interface ScenarioIssue {
  /** Dotted path into the document; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

type ParsedScenario =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly issues: readonly ScenarioIssue[] };

/** Reads a scenario file's text: JSON, fields, patterns and placeholders are checked. Never throws. */
export function parseScenario(text: string): ParsedScenario {
  const json = parseJson(text);
  if (!json.ok) return { ok: false, issues: [{ path: "", message: "The scenario is not valid JSON." }] };
  const parsed = scenarioSchema.safeParse(json.value);
  if (parsed.success) return { ok: true, scenario: parsed.data };
  return { ok: false, issues: parsed.error.issues.map(toIssue) };
}

function toIssue(issue: z.core.$ZodIssue): ScenarioIssue {
  return { path: issue.path.join("."), message: issue.message };
}

function parseJson(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
