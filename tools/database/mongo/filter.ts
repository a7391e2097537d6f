import type { Condition } from "../input.ts";
import { checkPath } from "../names.ts";
import { Refusal } from "../refusal.ts";
import { bsonOf } from "./value.ts";

export type MongoDocument = Record<string, unknown>;

const COMPARISONS = { eq: "$eq", ne: "$ne", lt: "$lt", lte: "$lte", gt: "$gt", gte: "$gte" } as const;

/** All conditions as a filter. Operators are ours; a value always stands behind one, so it is never read as one. */
export function filterOf(conditions: readonly Condition[]): MongoDocument {
  if (conditions.length === 0) return {};
  return { $and: conditions.map((condition) => ({ [checkPath(condition.column)]: test(condition) })) };
}

function test(condition: Condition): MongoDocument {
  const { op, value } = condition;
  switch (op) {
    case "is_null":
    case "is_not_null":
      if (value !== undefined) throw misfit(condition, "takes no value");
      return op === "is_null" ? { $eq: null } : { $ne: null };
    case "in":
      return { $in: listOf(condition) };
    case "not_in":
      return { $nin: listOf(condition) };
    case "between": {
      const [from, to, ...others] = listOf(condition);
      if (to === undefined || others.length > 0) throw misfit(condition, "takes a list of two values");
      return { $gte: from, $lte: to };
    }
    case "like":
    case "contains":
    case "starts_with":
      // Case is ignored, as MySQL's usual collations do; a point may stand for a line's end.
      return { $regex: pattern(condition), $options: "is" };
    default:
      if (value === null || value === undefined) {
        throw misfit(condition, "takes a value; for absent ones use is_null or is_not_null");
      }
      return { [COMPARISONS[op]]: bsonOf(value) };
  }
}

/** The text with nothing in it that means something in a regular expression. */
function pattern(condition: Condition): string {
  const { op, value } = condition;
  if (typeof value !== "string" || !value.isWellFormed() || value.includes("\0")) {
    throw misfit(condition, "takes a text");
  }
  const literal = value.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
  if (op === "contains") return literal;
  if (op === "starts_with") return `^${literal}`;
  return `^${literal.replaceAll("%", ".*").replaceAll("_", ".")}$`;
}

function listOf(condition: Condition): readonly unknown[] {
  const { value } = condition;
  if (Array.isArray(value) && value.length > 0 && value.length <= 500)
    return value.map((item) => bsonOf(item));
  throw misfit(condition, "takes a list of 1 to 500 values");
}

function misfit({ column, op }: Condition, what: string): Refusal {
  return new Refusal("value_refused", `The condition ${op} on ${checkPath(column)} ${what}.`);
}
