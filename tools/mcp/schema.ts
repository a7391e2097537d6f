/**
 * A server's schema of a tool's arguments as one that a call can be checked by and a model be shown. It comes from
 * outside: references are written out within a budget, regular expressions and defaults are left out (the server
 * has them itself), and what does not fit becomes one field that takes any object.
 */
import { z } from "zod";
import { isPlain, plain } from "./words.ts";

/** Of the schema as it is written out. */
const MAX_CHARS = 12_000;
/** What each part costs beside its texts. */
const CHARS_OF_PART = 30;
const MAX_DEPTH = 10;
const MAX_DESCRIPTION = 300;
const MAX_VALUES = 100;
const MAX_VALUE = 200;
const NAME = /^[\w.-]{1,64}$/;

type JsonObject = Readonly<Record<string, unknown>>;
const record = z.record(z.string(), z.unknown());

export interface RemoteInput {
  readonly schema: z.ZodType<Record<string, unknown>>;
  /** The tool's own arguments in what the model has sent. */
  readonly argumentsOf: (input: Record<string, unknown>) => Record<string, unknown>;
  /** How long the schema is where it is shown. */
  readonly chars: number;
}

/** The own arguments of a tool, where they stand alone under their name. */
const LONE = z.strictObject({ arguments: z.unknown() });
const wrapped = z.strictObject({
  arguments: record.describe("The tool's own arguments; the server says what is wrong with them."),
});

/**
 * Whatever is known of a tool, `arguments` alone always means its own arguments, and everything else are they
 * themselves: a call may be asked for in one form and be made, once a person allowed it, when there is another.
 */
export const WRAPPED: RemoteInput = {
  schema: z.preprocess(
    (input) =>
      record.safeParse(input).success && !LONE.safeParse(input).success ? { arguments: input } : input,
    wrapped,
  ),
  argumentsOf: (input) => wrapped.parse(input).arguments,
  chars: 250,
};

/** Of JSON; never throws. Where there is no usable schema, the arguments stand in one field. */
export function remoteInput(json: string | null): RemoteInput {
  try {
    return (json === null ? null : usable(JSON.parse(json))) ?? WRAPPED;
  } catch {
    return WRAPPED;
  }
}

function usable(schema: unknown): RemoteInput | null {
  const given = record.parse(schema);
  const budget = { left: MAX_CHARS };
  const root = written(given, { root: given, open: [], budget });
  // One argument of that name could not be told from all of them.
  if ("arguments" in (record.safeParse(root.properties).data ?? {})) return null;
  const made = z.fromJSONSchema(root);
  // What is no plain object at the top cannot be offered as it is.
  if (!(made instanceof z.ZodObject)) return null;
  // Throws for what no model can be shown.
  z.toJSONSchema(made, { io: "input", target: "draft-7" });
  return {
    schema: z.preprocess(unwrapped, made),
    argumentsOf: (input) => input,
    chars: MAX_CHARS - budget.left,
  };
}

function unwrapped(input: unknown, context: z.core.$RefinementCtx): unknown {
  const lone = LONE.safeParse(input);
  if (!lone.success) return input;
  const own = record.safeParse(lone.data.arguments);
  if (own.success) return own.data;
  context.addIssue({ code: "custom", path: ["arguments"], message: "Is none of this function's parameters" });
  return z.NEVER;
}

interface Scope {
  readonly root: JsonObject;
  /** References that are being written out; one that comes again is recursive. */
  readonly open: readonly string[];
  /** Characters, shared by the whole schema. */
  readonly budget: { left: number };
}

function charge({ budget }: Scope, chars: number): void {
  budget.left -= chars;
  if (budget.left < 0) throw new Error("too large");
}

const name = z.string().regex(NAME);
const value = z.union([z.string().max(MAX_VALUE).refine(isPlain), z.number(), z.boolean(), z.null()]);
const type = z.string().max(20);

/** What is taken over, and what it must look like: no words of the server's that are longer than a name. */
const KEPT = z.object({
  type: z.union([type, z.array(type).max(7)]).optional(),
  required: z.array(name).max(MAX_VALUES).optional(),
  const: value.optional(),
  enum: z.array(value).max(MAX_VALUES).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
});

/** One schema with its references written out. Throws when it is too large or not what a schema looks like. */
function written(given: unknown, scope: Scope): JsonObject {
  charge(scope, CHARS_OF_PART);
  if (scope.open.length > MAX_DEPTH) throw new Error("too deep");
  // `true` allows anything; so does `false`, which the server then refuses.
  if (typeof given === "boolean") return {};
  const schema = record.parse(given);
  if (typeof schema.$ref === "string") return described(followed(schema.$ref, scope), schema, scope);
  const deeper = { ...scope, open: [...scope.open, ""] };
  const kept = KEPT.parse(schema);
  charge(scope, JSON.stringify(kept).length);
  return described({ ...kept, ...members(schema, deeper), ...choices(schema, deeper) }, schema, scope);
}

function followed(reference: string, scope: Scope): JsonObject {
  if (scope.open.includes(reference)) return {};
  return written(target(reference, scope.root), { ...scope, open: [...scope.open, reference] });
}

function target(reference: string, root: JsonObject): unknown {
  const [start, ...path] = reference.split("/");
  if (start !== "#") throw new Error("a reference to elsewhere");
  let place: unknown = root;
  for (const part of path) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const holder = record.parse(place);
    place = Object.hasOwn(holder, key) ? holder[key] : undefined;
  }
  return place;
}

function members(schema: JsonObject, scope: Scope): JsonObject {
  const { properties, items, additionalProperties: rest } = schema;
  return {
    ...(properties === undefined ? {} : { properties: writtenEach(properties, scope) }),
    ...(items === undefined || Array.isArray(items) ? {} : { items: written(items, scope) }),
    ...(rest === undefined ? {} : { additionalProperties: rest === false ? false : written(rest, scope) }),
  };
}

function writtenEach(properties: unknown, scope: Scope): JsonObject {
  const entries = Object.entries(record.parse(properties));
  return Object.fromEntries(
    entries.map(([key, field]) => {
      if (key === "__proto__" || !NAME.test(key)) throw new Error("a name that is none");
      charge(scope, key.length);
      return [key, written(field, scope)];
    }),
  );
}

function choices(schema: JsonObject, scope: Scope): JsonObject {
  const lists = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => {
    const branches = schema[keyword];
    return Array.isArray(branches) ? [[keyword, branches.map((branch) => written(branch, scope))]] : [];
  });
  return Object.fromEntries(lists);
}

/** What a server says of an argument, short and in one line. */
function described(simple: JsonObject, { description }: JsonObject, scope: Scope): JsonObject {
  if (typeof description !== "string") return simple;
  const short = plain(description).slice(0, MAX_DESCRIPTION).toWellFormed();
  charge(scope, short.length);
  return { ...simple, description: short };
}
