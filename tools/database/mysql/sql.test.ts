import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Query, queryOf } from "../input.ts";
import { Refusal } from "../refusal.ts";
import { selectSql } from "./select.ts";
import type { Statement } from "./statement.ts";
import type { Table } from "./table.ts";
import { insertSql, updateSql } from "./write.ts";

const table: Table = {
  name: "orders",
  schema: "shop",
  table: "orders",
  columns: [
    { name: "id", kind: "integer" },
    { name: "name", kind: "text" },
    { name: "amount", kind: "decimal" },
    { name: "note", kind: "long_text" },
    { name: "odd`name", kind: "text" },
  ],
  uniqueKeys: [["id"]],
};
const queryFor = (changes: Partial<Query>): Query => ({
  ...queryOf({ action: "query", table: "orders" }, 100),
  ...changes,
});

/** The statement, or null when it was refused. Anything else that is thrown is a mistake. */
function statementOf(make: () => Statement): Statement | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

describe("a select", () => {
  it("names columns, conditions, order and a limit of one more", () => {
    const where = [
      { column: "id", op: "eq" as const, value: 5 },
      { column: "name", op: "in" as const, value: ["a", "b"] },
    ];
    const query = queryFor({ columns: ["id"], where, orderBy: [{ column: "name", direction: "desc" }] });
    expect(selectSql(query, table)).toEqual({
      sql: "SELECT `id` FROM `shop`.`orders` WHERE `id` = CAST(? AS UNSIGNED) AND `name` IN (?, ?) ORDER BY `name` DESC LIMIT 101 OFFSET 0",
      parameters: ["5", "a", "b"],
    });
  });

  it("orders by the primary key and cuts long columns when it is told nothing", () => {
    const { sql } = selectSql(queryFor({ columns: ["id", "note"] }), table);
    expect(sql).toBe(
      "SELECT `id`, LEFT(`note`, 20001) AS `note` FROM `shop`.`orders` ORDER BY `id` LIMIT 51 OFFSET 0",
    );
  });

  it("has no column by its name alone: it must also be one that can be named", () => {
    expect(() => selectSql(queryFor({ columns: ["odd`name"] }), table)).toThrow(Refusal);
    expect(selectSql(queryFor({}), table).sql).toContain("`odd``name`");
  });
});

describe("no text of a call is part of the SQL", () => {
  /** Names that the table has, attacks, and whatever else there can be. */
  const name = fc.oneof(
    fc.constantFrom("id", "name", "amount", "note"),
    fc.string(),
    fc.string({ unit: "binary" }),
  );
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.jsonValue(),
  );
  const op = fc.constantFrom(
    ...(["eq", "ne", "lt", "lte", "gt", "gte", "in", "not_in", "between"] as const),
    ...(["like", "contains", "starts_with", "is_null", "is_not_null"] as const),
  );
  const query = fc.record({
    columns: fc.option(fc.array(name, { minLength: 1, maxLength: 3 })),
    where: fc.array(fc.record({ column: name, op, value: fc.oneof(value, fc.array(value)) }), {
      maxLength: 3,
    }),
    groupBy: fc.array(name, { maxLength: 2 }),
    aggregates: fc.array(
      fc.record({ function: fc.constantFrom("count", "sum"), column: fc.option(name), as: name }),
      { maxLength: 2 },
    ),
    orderBy: fc.array(fc.record({ column: name, direction: fc.constantFrom("asc", "desc") }), {
      maxLength: 2,
    }),
  });
  /** What is left of a statement without its own words, the table's names, plain names in quotes, and numbers. */
  const strange = (sql: string) =>
    sql
      .replaceAll("`odd``name`", "")
      .replace(/`[A-Za-z_][A-Za-z0-9_]{0,63}`/g, "")
      .replace(/ESCAPE '!'/g, "")
      .replace(
        /\b(?:SELECT|FROM|WHERE|AND|IN|NOT|BETWEEN|LIKE|IS|NULL|CAST|AS|SIGNED|UNSIGNED|DECIMAL|GROUP|ORDER|BY|ASC|DESC|LIMIT|OFFSET|LEFT|COUNT|SUM|INSERT|INTO|VALUES|DEFAULT|UPDATE|SET|\d+)\b/g,
        "",
      )
      .replace(/[ ?,.()=<>*]/g, "");

  it("in a select", () => {
    fc.assert(
      fc.property(query, (changes) => {
        const statement = statementOf(() => selectSql(queryFor(changes), table));
        if (statement === null) return;
        expect(strange(statement.sql)).toBe("");
        expect(statement.sql.split("?").length - 1).toBe(statement.parameters.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it("in an insert or an update", () => {
    const row = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 3 }), (rows) => {
        const statements = [
          statementOf(() => insertSql(rows, table)),
          statementOf(() => updateSql(rows[0] ?? {}, ["id"], table)),
        ];
        for (const statement of statements) {
          if (statement === null) continue;
          expect(strange(statement.sql)).toBe("");
          expect(statement.sql.split("?").length - 1).toBe(statement.parameters.length);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
