import type { Row } from "../input.ts";
import { checkName, shown } from "../names.ts";
import { Refusal } from "../refusal.ts";
import { conditionSql } from "./condition.ts";
import { joined, quote, quoteTable, type Statement } from "./statement.ts";
import { type Column, columnOf, type Kind, type Table } from "./table.ts";
import { parameterOf } from "./value.ts";

/** One statement for all rows. A column that a row does not name gets its default. */
export function insertSql(rows: readonly Row[], table: Table): Statement {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].map((name) => known(table, name));
  if (columns.length === 0) throw new Refusal("request_refused", "The rows name no column.");
  const tuples = rows.map((row) => {
    const values = columns.map((column) =>
      Object.hasOwn(row, column.name)
        ? assigned(row[column.name], column)
        : { sql: "DEFAULT", parameters: [] },
    );
    const tuple = joined(values, ", ");
    return { ...tuple, sql: `(${tuple.sql})` };
  });
  const names = columns.map(({ name }) => quote(name)).join(", ");
  const values = joined(tuples, ", ");
  return { ...values, sql: `INSERT INTO ${quoteTable(table)} (${names}) VALUES ${values.sql}` };
}

/** Changes the row with these keys, when it is there. The server counts it as affected even if nothing differs. */
export function updateSql(row: Row, keys: readonly string[], table: Table): Statement {
  const others = Object.keys(row).filter((name) => !keys.includes(name));
  const changed = joined(
    (others.length === 0 ? keys : others).map((name) => {
      const column = known(table, name);
      const value = assigned(row[name], column);
      return { ...value, sql: `${quote(column.name)} = ${value.sql}` };
    }),
    ", ",
  );
  const found = joined(
    keys.map((column) => conditionSql({ column, op: "eq", value: row[column] }, known(table, column))),
    " AND ",
  );
  return {
    sql: `UPDATE ${quoteTable(table)} SET ${changed.sql} WHERE ${found.sql}`,
    parameters: [...changed.parameters, ...found.parameters],
  };
}

/**
 * Refuses keys that are not exactly those of a primary or unique key: only there the server itself sees to it
 * that no row comes twice. Every row must have a value for each of them.
 */
export function checkKeys(rows: readonly Row[], keys: readonly string[], table: Table): void {
  const columns = keys.map((name) => known(table, name));
  const isUnique = table.uniqueKeys.some(
    (unique) => unique.length === new Set(keys).size && unique.every((name) => keys.includes(name)),
  );
  if (!isUnique)
    throw new Refusal("keys_refused", `keys must be a unique key of the table. ${keysOf(table)}`);
  for (const { name } of columns) {
    const index = rows.findIndex((row) => !Object.hasOwn(row, name) || row[name] === null);
    if (index === -1) continue;
    throw new Refusal(
      "keys_refused",
      `Row ${index} has no value for ${shown(name)}, which is one of the keys.`,
    );
  }
}

function keysOf({ name, uniqueKeys }: Table): string {
  if (uniqueKeys.length === 0) return `${name} has none; use insert.`;
  return `Those of ${name} are: ${uniqueKeys.map((key) => `(${key.join(", ")})`).join(", ")}.`;
}

/** Of the kinds that the server would not make of a text by itself. */
const PLACEHOLDERS: ReadonlyMap<Kind, string> = new Map([
  ["geometry", "ST_GeomFromText(?)"],
  ["bit", "CAST(? AS UNSIGNED)"],
]);

function assigned(value: unknown, column: Column): Statement {
  if (value === null) return { sql: "NULL", parameters: [] };
  const parameters = [parameterOf(value, column)];
  return { sql: PLACEHOLDERS.get(column.kind) ?? "?", parameters };
}

const known = (table: Table, name: string) => columnOf(table, checkName(name));
