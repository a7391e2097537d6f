/**
 * From what a model writes to a value of a document, and back. A key that begins with `$` could be an operator:
 * only the few types below are known by one, each in exactly one form.
 */
import { Binary, Decimal128, EJSON, Long, ObjectId, UUID } from "bson";
import { z } from "zod";
import { binaryOf, binaryText } from "../binary.ts";
import { checkField, shown } from "../names.ts";
import { Refusal } from "../refusal.ts";

const MAX_DEPTH = 20;
const INT32 = 2 ** 31;

const typed = z.union([
  z.strictObject({ $oid: z.string().regex(/^[0-9a-fA-F]{24}$/) }).transform(({ $oid }) => new ObjectId($oid)),
  z.strictObject({ $date: z.iso.datetime({ offset: true }) }).transform(({ $date }) => new Date($date)),
  z
    .strictObject({ $numberLong: z.string().regex(/^-?\d{1,19}$/) })
    .transform(({ $numberLong }, refinement) => {
      const long = Long.fromString($numberLong);
      if (long.toString() === BigInt($numberLong).toString()) return long;
      refinement.addIssue({ code: "custom", message: "out of range" });
      return z.NEVER;
    }),
  z
    .strictObject({ $numberDecimal: z.string().regex(/^-?\d{1,34}(?:\.\d{1,33})?(?:E[+-]?\d{1,4})?$/) })
    .transform(({ $numberDecimal }) => Decimal128.fromStringWithRounding($numberDecimal)),
  z.strictObject({ $uuid: z.guid() }).transform(({ $uuid }) => new UUID($uuid)),
]);

/** The value as the driver takes it. Throws a {@link Refusal} for what could be more than a value. */
export function bsonOf(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new Refusal("value_refused", `Values may be ${MAX_DEPTH} levels deep.`);
  if (typeof value === "string") return wellFormed(value);
  if (typeof value === "number") return numberOf(value);
  if (typeof value === "boolean" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => bsonOf(item, depth + 1));
  if (typeof value === "object") return objectOf(value, depth);
  throw new Refusal("value_refused", "A value is missing.");
}

/** As 64-bit integers where a number has that meaning; the driver would make a floating-point number of it. */
function numberOf(value: number): unknown {
  const large = Number.isSafeInteger(value) && (value >= INT32 || value < -INT32);
  return large ? Long.fromNumber(value) : value;
}

function objectOf(value: object, depth: number): unknown {
  const entries = Object.entries(value);
  const operator = entries.find(([key]) => key.startsWith("$"));
  if (operator !== undefined) return typedOf(value, operator[0]);
  return Object.fromEntries(entries.map(([key, item]) => [checkField(key), bsonOf(item, depth + 1)]));
}

function typedOf(value: object, key: string): unknown {
  const bytes = binaryOf(value);
  if (bytes !== null) return new Binary(bytes);
  const parsed = typed.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Refusal(
    "value_refused",
    `${shown(key)} is refused: of the keys with "$" only {"$oid": 24 hex digits}, {"$date": ISO with zone}, {"$numberLong": digits}, {"$numberDecimal": digits}, {"$uuid": ...} and {"$binary": base64} are known, each alone in its object.`,
  );
}

function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  throw new Refusal("value_refused", `${shown(text.toWellFormed())} is not well-formed Unicode.`);
}

/** The value as the model reads it, and could send it back. */
export function shownBson(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return Number.isFinite(value) ? value : { $numberDouble: String(value) };
  if (typeof value === "bigint") return shownLong(Long.fromBigInt(value));
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(shownBson);
  if (value instanceof Date) return shownDate(value);
  if (value instanceof Uint8Array) return binaryText(value);
  return "_bsontype" in value ? shownTyped(value, String(value._bsontype)) : shownDocument(value);
}

export function shownDocument(document: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).map(([key, item]) => [key, shownBson(item)]));
}

const numberSchema = z.object({ value: z.number() });
const longSchema = z.object({ low: z.number(), high: z.number() });
const binarySchema = z.object({
  buffer: z.instanceof(Uint8Array),
  sub_type: z.number(),
  position: z.number(),
});

/** By its shape and not by its class, since the driver has a copy of its own of each class. */
function shownTyped(value: object, type: string): unknown {
  if (type === "Int32" || type === "Double") return shownBson(numberSchema.parse(value).value);
  if (type === "ObjectId") return { $oid: String(value) };
  if (type === "Decimal128") return { $numberDecimal: String(value) };
  if (type === "Long") {
    const { low, high } = longSchema.parse(value);
    return shownLong(new Long(low, high));
  }
  if (type === "Binary") {
    const { buffer, sub_type, position } = binarySchema.parse(value);
    const bytes = buffer.subarray(0, position);
    if (sub_type === Binary.SUBTYPE_UUID && bytes.length === 16) return { $uuid: new UUID(bytes).toString() };
    if (sub_type === Binary.SUBTYPE_DEFAULT) return binaryText(bytes);
  }
  // Kinds that cannot be sent back: shown in MongoDB's own notation.
  return EJSON.serialize({ value }, { relaxed: false }).value;
}

function shownLong(long: Long): unknown {
  const number = long.toNumber();
  return Number.isSafeInteger(number) ? number : { $numberLong: long.toString() };
}

/** The driver's dates can lie outside of what ISO texts hold. */
function shownDate(date: Date): unknown {
  const inRange = !Number.isNaN(date.getTime());
  return { $date: inRange ? date.toISOString() : String(date.getTime()) };
}
