/** Reduces a JSON Schema (draft 7, as zod writes it) to the subset that all OpenAI-compatible providers take. */
import { z } from "zod";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface Definitions {
  /** What `#` refers to. */
  readonly root: JsonObject;
  /** What `#/definitions/<name>` refers to. */
  readonly named: JsonObject;
}

interface Scope {
  readonly definitions: Definitions;
  /** References being written out right now; one that comes again is recursive. */
  readonly open: readonly string[];
}

/** Keywords taken over as they are. `pattern` is not: several providers refuse look-arounds and classes. */
const KEPT = ["type", "default", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];
/** The one string format that every provider knows; others become words in the description. */
const KEPT_FORMAT = "date-time";

const objectSchema = z.record(z.string(), z.unknown());
const listSchema = z.array(z.unknown());

/** The value as an object, or an empty one. */
export function jsonObject(value: unknown): JsonObject {
  const parsed = objectSchema.safeParse(value);
  return parsed.success ? parsed.data : {};
}

function list(value: unknown): readonly unknown[] {
  const parsed = listSchema.safeParse(value);
  return parsed.success ? parsed.data : [];
}

/** The same object type with nothing allowed beside its properties. */
export function closedObject(schema: JsonObject): JsonObject {
  return { ...schema, properties: jsonObject(schema.properties), additionalProperties: false };
}

/** One schema, references written out; recursion ends in "any value" at its second level. */
export function simplify(value: unknown, scope: Scope): JsonObject {
  const schema = jsonObject(value);
  const reference = schema.$ref;
  if (typeof reference === "string") return described(followed(reference, scope), schema);
  const parts = list(schema.allOf);
  if (parts.length > 0) return described(merged(parts, scope), schema);
  const branches = alternatives(schema);
  if (branches.length > 0)
    return described({ anyOf: branches.map((branch) => simplify(branch, scope)) }, schema);
  return described({ ...kept(schema), ...shape(schema, scope), ...allowedValues(schema) }, schema);
}

function followed(reference: string, scope: Scope): JsonObject {
  if (scope.open.includes(reference)) return {};
  const { root, named } = scope.definitions;
  const target = reference === "#" ? root : named[reference.replace("#/definitions/", "")];
  return simplify(target, { ...scope, open: [...scope.open, reference] });
}

function merged(parts: readonly unknown[], scope: Scope): JsonObject {
  const schemas = parts.map((part) => simplify(part, scope));
  const properties = Object.assign({}, ...schemas.map((schema) => jsonObject(schema.properties)));
  const required = [...new Set(schemas.flatMap((schema) => list(schema.required)))];
  const whole = Object.assign({}, ...schemas);
  return whole.type === "object" ? { ...whole, properties, required } : whole;
}

function alternatives(schema: JsonObject): readonly unknown[] {
  const types = list(schema.type);
  if (types.length > 0) return types.map((type) => ofOneType(schema, type));
  return [...list(schema.anyOf), ...list(schema.oneOf)];
}

function ofOneType(schema: JsonObject, type: unknown): JsonObject {
  return type === "null" ? { type } : { ...schema, description: undefined, type };
}

function kept(schema: JsonObject): JsonObject {
  const above = schema.exclusiveMinimum;
  const below = schema.exclusiveMaximum;
  const step = schema.type === "integer" ? 1 : 0;
  return {
    ...(typeof above === "number" ? { minimum: above + step } : {}),
    ...(typeof below === "number" ? { maximum: below - step } : {}),
    ...(schema.format === KEPT_FORMAT ? { format: KEPT_FORMAT } : {}),
    ...Object.fromEntries(KEPT.flatMap((key) => (isSaid(schema[key]) ? [[key, schema[key]]] : []))),
  };
}

/** Zod bounds every integer by what a double can hold; that tells a model nothing. */
function isSaid(value: unknown): boolean {
  return value !== undefined && value !== Number.MAX_SAFE_INTEGER && value !== Number.MIN_SAFE_INTEGER;
}

function shape(schema: JsonObject, scope: Scope): JsonObject {
  if (schema.type === "array") return { items: itemsOf(schema, scope) };
  if (schema.type !== "object") return {};
  const fields = Object.entries(jsonObject(schema.properties));
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, simplify(field, scope)]));
  const required = list(schema.required);
  const rest = schema.additionalProperties;
  return {
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: isOpen(rest) ? simplify(rest, scope) : false,
  };
}

function isOpen(rest: unknown): boolean {
  return typeof rest === "object" && rest !== null;
}

/** A tuple becomes a list of any of its members' types. */
function itemsOf(schema: JsonObject, scope: Scope): JsonObject {
  const members = list(schema.items);
  if (members.length === 0) return simplify(schema.items, scope);
  return { anyOf: members.map((member) => simplify(member, scope)) };
}

/** `const` becomes `enum`; enums of other types than string are refused by some, so those go into words. */
function allowedValues(schema: JsonObject): JsonObject {
  const values = valuesOf(schema);
  return values.length > 0 && values.every((value) => typeof value === "string") ? { enum: values } : {};
}

function valuesOf(schema: JsonObject): readonly unknown[] {
  return "const" in schema ? [schema.const] : list(schema.enum);
}

function described(simple: JsonObject, schema: JsonObject): JsonObject {
  const own = schema.description ?? simple.description;
  const text = [...(typeof own === "string" ? [own] : []), ...hints(schema)].join(" ");
  return text === "" ? simple : { ...simple, description: text };
}

function hints(schema: JsonObject): string[] {
  const format = schema.format;
  const values = valuesOf(schema);
  const inWords = values.some((value) => typeof value !== "string");
  return [
    ...(typeof format === "string" && format !== KEPT_FORMAT ? [`Format: ${format}.`] : []),
    ...(inWords ? [`One of: ${values.map((value) => JSON.stringify(value)).join(", ")}.`] : []),
  ];
}
