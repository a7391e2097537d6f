import { binaryOf } from "../binary.ts";
import type { Condition } from "../input.ts";
import { Refusal } from "../refusal.ts";
import type { Statement } from "./statement.ts";
import { quote } from "./statement.ts";
import type { Column } from "./table.ts";
import { isInteger, type Parameter, parameterOf } from "./value.ts";

/** Not the backslash: what that means depends on the server's mode. */
const ESCAPE = "!";

/** A cast of more than that would silently become that. */
const MAX_UNSIGNED = 2n ** 64n - 1n;
const MIN_SIGNED = -(2n ** 63n);

const COMPARISONS = { eq: "=", ne: "<>", lt: "<", lte: "<=", gt: ">", gte: ">=" } as const;

/** One condition on a column as SQL. Every value is a parameter. */
export function conditionSql(condition: Condition, column: Column): Statement {
  const name = quote(column.name);
  const { op, value } = condition;
  switch (op) {
    case "is_null":
    case "is_not_null":
      if (value !== undefined) throw misfit(condition, "takes no value");
      return { sql: `${name} IS ${op === "is_null" ? "" : "NOT "}NULL`, parameters: [] };
    case "in":
    case "not_in": {
      const operands = listOf(condition).map((item) => operand(item, condition, column));
      const marks = operands.map(({ sql }) => sql).join(", ");
      return { sql: `${name} ${op === "in" ? "" : "NOT "}IN (${marks})`, parameters: all(operands) };
    }
    case "between": {
      const operands = listOf(condition).map((item) => operand(item, condition, column));
      if (operands.length !== 2) throw misfit(condition, "takes a list of two values");
      return {
        sql: `${name} BETWEEN ${operands.map(({ sql }) => sql).join(" AND ")}`,
        parameters: all(operands),
      };
    }
    case "like":
    case "contains":
    case "starts_with":
      return { sql: `${name} LIKE ? ESCAPE '${ESCAPE}'`, parameters: [pattern(condition)] };
    default: {
      const { sql, parameters } = operand(value, condition, column);
      return { sql: `${name} ${COMPARISONS[op]} ${sql}`, parameters };
    }
  }
}

function operand(value: unknown, condition: Condition, column: Column): Statement {
  if (value === null || value === undefined) {
    throw misfit(condition, "takes a value; for absent ones use is_null or is_not_null");
  }
  if (column.kind === "geometry") throw misfit(condition, "cannot compare geometries");
  if (typeof value === "object" && binaryOf(value) === null) throw misfit(condition, "takes a plain value");
  const parameter = parameterOf(value, column);
  return { sql: placeholder(parameter, column), parameters: [parameter] };
}

/** With its type, so that large and decimal numbers are not compared as floating-point ones. */
function placeholder(parameter: Parameter, { kind }: Column): string {
  if (kind === "bit") return "CAST(? AS UNSIGNED)";
  if (typeof parameter !== "string" || (kind !== "integer" && kind !== "decimal")) return "?";
  if (!isInteger(parameter)) return "CAST(? AS DECIMAL(65, 30))";
  const number = BigInt(parameter);
  if (number > MAX_UNSIGNED || number < MIN_SIGNED || kind === "decimal") return "CAST(? AS DECIMAL(65, 0))";
  return number < 0n ? "CAST(? AS SIGNED)" : "CAST(? AS UNSIGNED)";
}

function pattern(condition: Condition): string {
  const { op, value } = condition;
  if (typeof value !== "string" || !value.isWellFormed()) throw misfit(condition, "takes a text");
  if (op === "like") return value.replaceAll(ESCAPE, ESCAPE + ESCAPE);
  const literal = value.replace(/[!%_]/g, (special) => ESCAPE + special);
  return op === "contains" ? `%${literal}%` : `${literal}%`;
}

function listOf(condition: Condition): readonly unknown[] {
  const { value } = condition;
  if (Array.isArray(value) && value.length > 0 && value.length <= 500) return value;
  throw misfit(condition, "takes a list of 1 to 500 values");
}

const all = (parts: readonly Statement[]) => parts.flatMap(({ parameters }) => parameters);

function misfit({ column, op }: Condition, what: string): Refusal {
  return new Refusal("value_refused", `The condition ${op} on ${column} ${what}.`);
}
