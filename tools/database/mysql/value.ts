/**
 * From what a model writes to what a statement's parameter carries. The column's kind decides, because MySQL
 * would otherwise compare a text with a number as numbers, where 0 equals every word.
 */
import { binaryOf } from "../binary.ts";
import { shown } from "../names.ts";
import { Refusal } from "../refusal.ts";
import type { Column } from "./table.ts";

export type Parameter = string | number | Buffer | null;

const INTEGER = /^-?\d{1,65}$/;
/** As many digits on each side of the point as the casts in condition.ts keep. */
const DECIMAL = /^-?(?:\d{1,65}|\d{1,35}\.\d{1,30})$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^-?\d{1,3}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})?$/;

/** The value as a parameter for this column. Never null: what is absent is asked for by is_null. */
export function parameterOf(value: unknown, column: Column): Exclude<Parameter, null> {
  switch (column.kind) {
    case "integer":
    case "bit":
    case "decimal":
      return numeral(value, column);
    case "float":
      return Number(numeral(value, column));
    case "date":
      return DATE.test(textOf(value)) ? textOf(value) : moment(value, column);
    case "moment":
      return DATE.test(textOf(value)) ? textOf(value) : moment(value, column);
    case "time":
      return TIME.test(textOf(value)) ? textOf(value) : refuse(value, column, "a time such as 17:30:00");
    case "binary":
    case "long_binary":
      return binary(value, column);
    case "text":
    case "long_text":
      return text(value, column);
    case "geometry":
      return typeof value === "string" ? value : refuse(value, column, "well-known text such as POINT(1 2)");
  }
}

/** As text, so that no digit is lost on the way. */
function numeral(value: unknown, column: Column): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  const numeric = typeof value === "number" && Number.isFinite(value);
  if (numeric && (column.kind === "float" || Number.isSafeInteger(value))) return String(value);
  const written = numeric ? plainNumeral(value) : value;
  if (typeof written === "string" && DECIMAL.test(written)) return written;
  return refuse(
    value,
    column,
    'a number; as a text of its digits when it is a large or decimal one ("12.50")',
  );
}

/** Without an exponent, which SQL would read as a floating-point number. */
function plainNumeral(value: number): string {
  const plain = String(value);
  return plain.includes("e") ? "" : plain;
}

/** Whether a numeral has no digits after a point. */
export const isInteger = (numeral: string) => INTEGER.test(numeral);

/** With a zone it becomes UTC, which is the session's; without one it stays as it is. */
function moment(value: unknown, column: Column): string {
  const parts = MOMENT.exec(textOf(value));
  if (parts === null) return refuse(value, column, 'a date such as "2026-01-31" or "2026-01-31T17:30:00Z"');
  const [, date = "", minutes = "", seconds = ":00", fraction = "", zone] = parts;
  if (zone === undefined) return `${date} ${minutes}${seconds}${fraction}`;
  const instant = new Date(`${date}T${minutes}${seconds}${zone}`);
  if (Number.isNaN(instant.getTime())) return refuse(value, column, "a date that exists");
  return `${instant.toISOString().slice(0, 19).replace("T", " ")}${fraction}`;
}

function binary(value: unknown, column: Column): Buffer {
  const bytes = binaryOf(value);
  if (bytes !== null) return bytes;
  if (typeof value === "string") return Buffer.from(value, "utf8");
  return refuse(value, column, 'bytes as {"$binary": "base64"}, or a text');
}

/** Lists and objects become JSON text, which is how JSON columns are read and written. */
function text(value: unknown, column: Column): string {
  if (typeof value === "string") return wellFormed(value, column);
  if (value === null || value === undefined) return refuse(value, column, "a text");
  return JSON.stringify(value);
}

function wellFormed(value: string, column: Column): string {
  return value.isWellFormed() ? value : refuse(value, column, "well-formed Unicode");
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

function refuse(value: unknown, column: Column, expected: string): never {
  const given =
    value === undefined ? "nothing" : shown(typeof value === "string" ? value : JSON.stringify(value));
  throw new Refusal("value_refused", `The column ${column.name} takes ${expected}, not ${given}.`);
}
