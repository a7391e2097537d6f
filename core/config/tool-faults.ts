/**
 * A tool's config beside its schema: every secret field must hold a reference, and a reference may stand
 * nowhere else. The schema itself is shown a placeholder where a secret belongs, so that a literal put
 * there by mistake reaches neither the tool's own rules nor their messages.
 */
import { z } from "zod";
import { isSecretField } from "../tool.ts";
import { type Fault, type Path, parseAt } from "./issues.ts";
import { isRecord } from "./raw.ts";
import { NOT_A_REFERENCE, secretNameOf } from "./secrets.ts";

type Schema = z.core.$ZodType;

const PLACEHOLDER = "placeholder-of-a-secret";

/** Every fault of a tool's config, below `base`. */
export function toolConfigFaults(schema: z.ZodType, config: unknown, base: Path): readonly Fault[] {
  const decided: Fault[] = [];
  const settled: Path[] = [];
  const settle = (path: Path, message: string | null) => {
    settled.push(path);
    if (message !== null) decided.push({ path, message });
  };
  const shown = withPlaceholders({ schemas: [schema], value: config, path: base }, settle);
  const parsed = parseAt(schema, shown, base);
  const others = parsed.ok
    ? []
    : parsed.faults.filter((fault) => !settled.some((path) => covers(path, fault.path)));
  return [...decided, ...others];
}

interface Place {
  /** The schemas that may apply here: a union has several. */
  readonly schemas: readonly Schema[];
  readonly value: unknown;
  readonly path: Path;
}

/** Told of each place that the secrets' rule has judged; null stands for "it is as it should be". */
type Settle = (path: Path, message: string | null) => void;

function withPlaceholders(place: Place, settle: Settle): unknown {
  const { value, path } = place;
  const schemas = place.schemas.flatMap((schema) => applicable(schema, value));
  const isReference = secretNameOf(value) !== null;
  if (schemas.some(isSecretField) && (isReference || !isContainer(value))) {
    if (value === undefined || value === null) return value;
    settle(path, isReference ? null : NOT_A_REFERENCE);
    return PLACEHOLDER;
  }
  if (isRecord(value) && Object.hasOwn(value, "$secret")) {
    settle(path, isReference ? "No secret belongs here; write the value" : NOT_A_REFERENCE);
    return value;
  }
  return descend({ schemas, value, path }, settle);
}

function descend({ schemas, value, path }: Place, settle: Settle): unknown {
  const below = (key: string | number, item: unknown) =>
    withPlaceholders(
      { schemas: schemas.flatMap((schema) => memberSchema(schema, key)), value: item, path: [...path, key] },
      settle,
    );
  if (Array.isArray(value)) return value.map((item, index) => below(index, item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, below(key, item)]));
}

/** The schema without its wrappers (optional, default, ...); of a union, the arms that fit the value. */
function applicable(schema: Schema, value: unknown): readonly Schema[] {
  if (isSecretField(schema)) return [schema];
  const inner = unwrapped(schema);
  if (inner !== null) return applicable(inner, value);
  if (schema instanceof z.ZodIntersection) {
    return [schema.def.left, schema.def.right].flatMap((side) => applicable(side, value));
  }
  if (schema instanceof z.ZodUnion) return armsOf(schema, value).flatMap((arm) => applicable(arm, value));
  return [schema];
}

function unwrapped(schema: Schema): Schema | null {
  if (schema instanceof z.ZodLazy) return schema.unwrap();
  if (schema instanceof z.ZodPipe)
    return schema.def.in instanceof z.ZodTransform ? schema.def.out : schema.def.in;
  const def = schema._zod.def;
  return "innerType" in def && def.innerType instanceof z.core.$ZodType ? def.innerType : null;
}

function armsOf(union: z.ZodUnion, value: unknown): readonly Schema[] {
  if (!(union instanceof z.ZodDiscriminatedUnion) || !isRecord(value)) return union.options;
  const key = union.def.discriminator;
  const chosen = union.options.filter((arm) =>
    memberSchema(arm, key).some((literal) => z.safeParse(literal, value[key]).success),
  );
  return chosen.length > 0 ? chosen : union.options;
}

function memberSchema(schema: Schema, key: string | number): readonly Schema[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodTuple) return present(schema.def.items[Number(key)] ?? schema.def.rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.hasOwn(schema.shape, key) ? present(schema.shape[key]) : present(schema.def.catchall);
}

function present(schema: Schema | null | undefined): readonly Schema[] {
  return schema === null || schema === undefined ? [] : [schema];
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function covers(path: Path, other: Path): boolean {
  return path.every((segment, index) => other[index] === segment);
}
