/**
 * A zod input schema as the JSON Schema that models are shown. Providers accept different subsets, so
 * this keeps to what all of them take. It may say less than zod does: zod still checks every call.
 */
import { z } from "zod";
import { closedObject, type Definitions, jsonObject, simplify } from "./tool-schema-simplify.ts";

/**
 * JSON Schema of what a model has to send. At the top: `type: "object"`, `properties`, `required`,
 * `additionalProperties: false`, no combinators and no references.
 * @throws when the schema is not an object at the top or holds what JSON cannot carry (dates, bigints, ...)
 */
export function toolParameters(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const root = jsonObject(z.toJSONSchema(schema, { io: "input", target: "draft-7" }));
  const definitions: Definitions = { root, named: jsonObject(root.definitions) };
  const top = simplify(root, { definitions, open: [] });
  if (top.type !== "object") throw new Error("a tool's input must be one object, not a union or a value");
  return closedObject(top);
}
