import { EJSON } from "bson";
import { shownBson } from "../mongo/value.ts";

/** As Extended JSON: plain where nothing is lost by it, because some servers read plain JSON only. */
export function ejsonOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ejsonOf);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return { $date: value.toISOString() };
  if (!("_bsontype" in value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, ejsonOf(item)]));
  }
  const isBinary = value._bsontype === "Binary";
  return isBinary ? EJSON.serialize({ value }, { relaxed: false }).value : shownBson(value);
}
