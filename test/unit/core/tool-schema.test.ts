import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toolParameters } from "../../../core/tool-schema.ts";

const REFUSED_ANYWHERE = [
  "$schema",
  "$ref",
  "$defs",
  "definitions",
  "oneOf",
  "allOf",
  "not",
  "const",
  "pattern",
  "propertyNames",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "additionalItems",
];

const field = (schema: z.ZodType) => toolParameters(z.object({ field: schema })).properties;

describe("the JSON Schema a model is shown", () => {
  it("is a closed object that names its fields and says which are required", () => {
    const schema = z.strictObject({
      action: z.enum(["read", "write"]).describe("What to do."),
      limit: z.int().min(1).max(50).optional(),
      mode: z.string().default("plain"),
    });
    expect(toolParameters(schema)).toEqual({
      type: "object",
      properties: {
        action: { type: "string", enum: ["read", "write"], description: "What to do." },
        limit: { type: "integer", minimum: 1, maximum: 50 },
        mode: { type: "string", default: "plain" },
      },
      required: ["action"],
      additionalProperties: false,
    });
  });

  it("has properties even when the function takes no arguments", () => {
    expect(toolParameters(z.strictObject({}))).toEqual({
      type: "object",
      properties: {},
      additionalProperties: false,
    });
  });

  const wrapped: readonly (readonly [string, z.ZodType])[] = [
    ["a refined object", z.object({ a: z.string() }).superRefine(() => {})],
    ["a preprocessed object", z.preprocess((value) => value, z.object({ a: z.string() }))],
    ["a transformed object", z.object({ a: z.string() }).transform((value) => value.a)],
    ["a loose object", z.looseObject({ a: z.string() })],
    ["a lazy object", z.lazy(() => z.object({ a: z.string() }))],
  ];
  it.each(wrapped)("is the same closed object for %s", (_title, schema) => {
    expect(toolParameters(schema)).toEqual({
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    });
  });

  it("joins the two sides of an intersection", () => {
    const both = z.object({ a: z.string() }).and(z.object({ b: z.number() }));
    expect(toolParameters(both)).toMatchObject({
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a", "b"],
    });
  });

  const simplified: readonly (readonly [string, z.ZodType, unknown])[] = [
    ["drops a pattern", z.string().regex(/^(?=a)b/), { type: "string" }],
    ["drops the bounds of a double", z.int(), { type: "integer" }],
    ["keeps date-time", z.iso.datetime(), { type: "string", format: "date-time" }],
    ["says other formats in words", z.email(), { type: "string", description: "Format: email." }],
    ["makes a constant an enum", z.literal("x"), { type: "string", enum: ["x"] }],
    [
      "says numbers to choose from in words",
      z.literal([1, 2]),
      { type: "number", description: "One of: 1, 2." },
    ],
    ["makes an open bound of integers a closed one", z.int().positive(), { type: "integer", minimum: 1 }],
    [
      "offers null as a branch",
      z.string().max(9).nullable(),
      { anyOf: [{ type: "string", maxLength: 9 }, { type: "null" }] },
    ],
    [
      "makes a tuple a list of known length",
      z.tuple([z.string(), z.number()]),
      { type: "array", minItems: 2, maxItems: 2, items: { anyOf: [{ type: "string" }, { type: "number" }] } },
    ],
    [
      "keeps the values' type of a record",
      z.record(z.string(), z.number()),
      { type: "object", properties: {}, additionalProperties: { type: "number" } },
    ],
    [
      "keeps a description on a nullable field",
      z.number().nullable().describe("How many."),
      { anyOf: [{ type: "number" }, { type: "null" }], description: "How many." },
    ],
    [
      "describes what goes in, not what comes out",
      z.string().transform((text) => text.length),
      { type: "string" },
    ],
  ];
  it.each(simplified)("%s", (_title, schema, expected) => {
    expect(field(schema)).toEqual({ field: expected });
  });

  it("writes out a union of objects as anyOf below the top", () => {
    const union = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a") }),
      z.object({ kind: z.literal("b"), size: z.number() }),
    ]);
    expect(field(union)).toMatchObject({
      field: { anyOf: [{ type: "object" }, { required: ["kind", "size"] }] },
    });
  });

  it("ends a recursive schema instead of referring to itself", () => {
    const node = z.object({
      name: z.string(),
      get children() {
        return z.array(node);
      },
    });
    const text = JSON.stringify(toolParameters(node));
    expect(text).toContain('"children"');
    expect(text).not.toContain("$ref");
  });

  const unusable: readonly (readonly [string, z.ZodType])[] = [
    ["a text", z.string()],
    ["a list", z.array(z.string())],
    ["anything", z.unknown()],
    ["an object or null", z.object({}).nullable()],
    ["a union of objects", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ["a field that JSON cannot carry", z.object({ at: z.date() })],
  ];
  it.each(unusable)("is refused to the tool's author for %s", (_title, schema) => {
    expect(() => toolParameters(schema)).toThrow();
  });

  it("holds no keyword that a provider refuses, whatever the fields are made of", () => {
    fc.assert(
      fc.property(anyFields(), (fields) => {
        const parameters = toolParameters(z.object(fields));
        expect(parameters).toMatchObject({ type: "object", additionalProperties: false });
        expect(Object.keys(parameters)).not.toContain("anyOf");
        expect(keywords(parameters).filter((key) => REFUSED_ANYWHERE.includes(key))).toEqual([]);
        expect(JSON.parse(JSON.stringify(parameters))).toEqual(parameters);
      }),
      { numRuns: 200 },
    );
  });
});

/** Objects of up to four fields, f0 to f3, nested a few levels deep. */
function anyFields(): fc.Arbitrary<Record<string, z.ZodType>> {
  const leaf = fc.constantFrom<z.ZodType>(
    z.string().min(2).max(5),
    z.url(),
    z.iso.date(),
    z.string().regex(/^[\p{L}]+$/u),
    z.number().gt(1).lt(2),
    z.int().negative(),
    z.boolean(),
    z.null(),
    z.unknown(),
    z.literal(["a", null]),
    z.enum({ A: "a", B: "b" }),
  );
  const { tree } = fc.letrec<{ tree: z.ZodType }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      tie("tree").map((inner) => inner.nullable()),
      tie("tree").map((inner) => inner.optional()),
      tie("tree").map((inner) => z.array(inner).max(3)),
      tie("tree").map((inner) => z.record(z.string().min(1), inner)),
      tie("tree").map((inner) => z.object({ inner })),
      tie("tree").map((inner) => z.lazy(() => inner)),
      fc.tuple(tie("tree"), tie("tree")).map(([left, right]) => z.union([left, right])),
      fc.tuple(tie("tree"), tie("tree")).map(([left, right]) => z.tuple([left, right])),
      fc.tuple(tie("tree"), tie("tree")).map(([left, right]) => z.object({ left }).and(z.object({ right }))),
    ),
  }));
  return fc
    .array(tree, { maxLength: 4 })
    .map((fields) => Object.fromEntries(fields.map((schema, index) => [`f${index}`, schema])));
}

const schemaMap = z.record(z.string(), z.unknown());

/** Every keyword used in a schema and the schemas inside it; names of properties are not keywords. */
function keywords(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keywords);
  const parsed = schemaMap.safeParse(value);
  if (!parsed.success) return [];
  return Object.entries(parsed.data).flatMap(([key, inner]) => [
    key,
    ...(key === "properties" ? Object.values(schemaMap.parse(inner)).flatMap(keywords) : keywords(inner)),
  ]);
}
