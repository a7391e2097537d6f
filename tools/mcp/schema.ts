/**
 * A server's schema of a tool's arguments as one that a call can be checked by and a model be shown. It comes from
 * outside: references are written out within a budget, regular expressions are left out (the server checks them
 * itself), and what does not fit becomes one field that takes any object.
 */
import { z } from "zod";

const MAX_NODES = 400;
const MAX_DEPTH = 10;
const MAX_DESCRIPTION = 300;
const MAX_ENUM = 100;
const MAX_TEXT = 12_000;

type JsonObject = Readonly<Record<string, unknown>>;
const record = z.record(z.string(), z.unknown());

export interface RemoteInput {
  readonly schema: z.ZodType<Record<string, unknown>>;
  /** The tool's own arguments in what the model has sent. */
  readonly argumentsOf: (input: Record<string, unknown>) => Record<string, unknown>;
}

const wrapped = z.strictObject({
  arguments: record.describe("The tool's own arguments; the server says what is wrong with them."),
});
const WRAPPED: RemoteInput = {
  schema: wrapped,
  argumentsOf: (input) => wrapped.parse(input).arguments,
};

/** Of JSON; never throws. Where there is no usable schema, the arguments stand in one field. */
export function remoteInput(json: string | null): RemoteInput {
  try {
    const schema = json === null ? null : usableSchema(JSON.parse(json));
    return schema === null ? WRAPPED : { schema, argumentsOf: (input) => input };
  } catch {
    return WRAPPED;
  }
}

function usableSchema(schema: unknown): z.ZodType<Record<string, unknown>> | null {
  const given = record.safeParse(schema).data;
  if (given === undefined || JSON.stringify(given).length > MAX_TEXT) return null;
  const root = written(given, { root: given, open: [], budget: { left: MAX_NODES } });
  const made = z.fromJSONSchema(root);
  // What is no plain object at the top cannot be offered as it is.
  if (!(made instanceof z.ZodObject)) return null;
  // Throws for what no model can be shown.
  z.toJSONSchema(made, { io: "input", target: "draft-7" });
  return made;
}

interface Scope {
  readonly root: JsonObject;
  /** References that are being written out; one that comes again is recursive. */
  readonly open: readonly string[];
  /** Shared by the whole schema. */
  readonly budget: { left: number };
}

/** Taken over as they are. */
const KEPT = [
  "type",
  "required",
  "const",
  "default",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
];

/** One schema with its references written out. Throws when it is too large or not what a schema looks like. */
function written(value: unknown, scope: Scope): JsonObject {
  scope.budget.left -= 1;
  if (scope.budget.left < 0 || scope.open.length > MAX_DEPTH) throw new Error("too large");
  // `true` allows anything; so does `false`, which the server then refuses.
  if (typeof value === "boolean") return {};
  const schema = record.parse(value);
  if (typeof schema.$ref === "string") return described(followed(schema.$ref, scope), schema);
  const deeper = { ...scope, open: [...scope.open, ""] };
  const simple = Object.fromEntries(KEPT.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])));
  return described({ ...simple, ...members(schema, deeper), ...choices(schema, deeper) }, schema);
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
  if (entries.some(([name]) => name === "__proto__")) throw new Error("a name that is none");
  return Object.fromEntries(entries.map(([name, field]) => [name, written(field, scope)]));
}

function choices(schema: JsonObject, scope: Scope): JsonObject {
  const lists = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => {
    const branches = schema[keyword];
    return Array.isArray(branches) ? [[keyword, branches.map((branch) => written(branch, scope))]] : [];
  });
  const values = schema.enum;
  if (Array.isArray(values) && values.length > MAX_ENUM) throw new Error("too many values");
  return { ...Object.fromEntries(lists), ...(values === undefined ? {} : { enum: values }) };
}

/** What a server says of an argument, short and in one line. */
function described(simple: JsonObject, { description }: JsonObject): JsonObject {
  if (typeof description !== "string") return simple;
  const plain = description.replace(/[<>]/g, " ").replace(/\s+/g, " ").trim();
  return { ...simple, description: plain.slice(0, MAX_DESCRIPTION).toWellFormed() };
}
