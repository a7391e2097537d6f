import type { Answer, Field } from "../../../protocols/mysql/connection.ts";
import { binaryText } from "../binary.ts";

/** Numbers of types in the protocol. */
const FLOAT = 4;
const TIMESTAMP = 7;
const DATETIME = 12;
const BIT = 16;

/** The rows as the model reads them; how each type is written stands in docs/tools/database.md. */
export function shownRows({ rows, fields }: Answer): Readonly<Record<string, unknown>>[] {
  return rows.map((row) =>
    Object.fromEntries(fields.map((field, index) => [field.name, shownValue(row[index], field)])),
  );
}

function shownValue(value: unknown, { type }: Field): unknown {
  if (value instanceof Uint8Array) return type === BIT ? bits(value) : binaryText(value);
  if (typeof value === "number" && type === FLOAT) return shortest(value);
  if (typeof value !== "string") return value ?? null;
  // A moment has a zone (the session's, UTC), a date with a time has none.
  if (type === TIMESTAMP) return value.startsWith("0000") ? value : `${value.replace(" ", "T")}Z`;
  return type === DATETIME ? value.replace(" ", "T") : value;
}

/** As a number, or as its digits when it has more than a number can hold. */
function bits(bytes: Uint8Array): number | string {
  const number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : number.toString();
}

/** The shortest number that the column would store as the same; 0.1 instead of 0.10000000149011612. */
function shortest(value: number): number {
  const candidates = [6, 7, 8].map((digits) => Number(value.toPrecision(digits)));
  return candidates.find((candidate) => Math.fround(candidate) === value) ?? value;
}
