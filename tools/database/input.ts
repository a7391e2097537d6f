/** What the model may ask for: a structure, never a text in a database's language. */
import { z } from "zod";

const MAX_NAME_CHARS = 256;
const MAX_LIST = 100;
/** Rows of one insert or upsert. */
export const MAX_ROWS_WRITTEN = 100;

const name = z.string().min(1).max(MAX_NAME_CHARS);
const names = z.array(name).min(1).max(MAX_LIST);
const row = z
  .record(z.string().max(MAX_NAME_CHARS), z.unknown())
  .refine((columns) => Object.keys(columns).length > 0, "a row needs at least one column");
const rows = z.array(row).min(1).max(MAX_ROWS_WRITTEN);

const condition = z.strictObject({
  column: name,
  op: z
    .enum([
      ...(["eq", "ne", "lt", "lte", "gt", "gte", "in", "not_in", "between"] as const),
      ...(["like", "contains", "starts_with", "is_null", "is_not_null"] as const),
    ])
    .describe('"like" takes % and _ as in SQL.'),
  value: z
    .unknown()
    .optional()
    .describe("A list for in, not_in and between (two values); none for is_null and is_not_null."),
});

const aggregate = z.strictObject({
  function: z.enum(["count", "sum", "avg", "min", "max"]),
  column: name.optional().describe("Left out for a count of rows."),
  as: name.optional().describe('Its name in the result; by default such as "sum_amount".'),
});

const order = z.strictObject({ column: name, direction: z.enum(["asc", "desc"]).default("asc") });

const offset = z.int().min(0).max(1_000_000_000);

export const inputSchema = z
  .strictObject({
    action: z.enum(["query", "insert", "upsert"]),
    table: name.describe("Exact name of a table or collection that is allowed."),
    columns: names.optional().describe("query: all when left out. MongoDB: also paths such as address.city."),
    where: z.array(condition).max(MAX_LIST).optional().describe("query: all of them must hold."),
    groupBy: names.optional(),
    aggregates: z.array(aggregate).min(1).max(MAX_LIST).optional(),
    orderBy: z.array(order).min(1).max(MAX_LIST).optional().describe("Columns, or names of aggregates."),
    limit: z.int().min(1).optional().describe("Large values are lowered."),
    offset: offset.optional().describe("Rows to skip; nextOffset of the answer before."),
    rows: rows.optional().describe("insert, upsert: objects from column to value."),
    keys: names.optional().describe("upsert: the columns that tell whether a row is there already."),
  })
  .superRefine((input, refinement) => {
    for (const { path, message } of misfits(input)) {
      refinement.addIssue({ code: "custom", path: [path], message });
    }
  });

type Condition = z.infer<typeof condition>;
type Order = z.infer<typeof order>;

/** An aggregate with its name in the result settled. */
export interface Aggregate {
  readonly function: z.infer<typeof aggregate>["function"];
  readonly column: string | null;
  readonly as: string;
}

export interface Query {
  readonly table: string;
  /** Null: all. */
  readonly columns: readonly string[] | null;
  readonly where: readonly Condition[];
  readonly groupBy: readonly string[];
  readonly aggregates: readonly Aggregate[];
  readonly orderBy: readonly Order[];
  readonly limit: number;
  readonly offset: number;
}

export type Row = Readonly<Record<string, unknown>>;
export type { Condition, Order };

type Input = z.infer<typeof inputSchema>;

/** The query in full, at most `maxRows` long. */
export function queryOf(input: Input, maxRows: number): Query {
  return {
    table: input.table,
    columns: input.columns ?? null,
    where: input.where ?? [],
    groupBy: input.groupBy ?? [],
    aggregates: (input.aggregates ?? []).map((one) => ({
      function: one.function,
      column: one.column ?? null,
      as: one.as ?? [one.function, ...(one.column === undefined ? [] : [one.column])].join("_"),
    })),
    orderBy: input.orderBy ?? [],
    limit: Math.min(input.limit ?? maxRows, maxRows),
    offset: input.offset ?? 0,
  };
}

/** Whether the answer has a row per group instead of the rows themselves. */
export const isGrouped = ({ groupBy, aggregates }: Query) => groupBy.length > 0 || aggregates.length > 0;

interface Misfit {
  readonly path: keyof Input;
  readonly message: string;
}

const OF_QUERIES = ["columns", "where", "groupBy", "aggregates", "orderBy", "limit", "offset"] as const;

/** Arguments that the action needs and has not, or has and would silently not heed. */
function misfits(input: Input): Misfit[] {
  const isQuery = input.action === "query";
  const foreign = isQuery ? (["rows", "keys"] as const) : OF_QUERIES;
  const needed = { query: [], insert: ["rows"], upsert: ["rows", "keys"] } as const;
  const useless = [...foreign, ...(input.action === "insert" ? (["keys"] as const) : [])];
  return [
    ...useless
      .filter((path) => input[path] !== undefined)
      .map((path) => ({ path, message: `${input.action} takes no ${path}` })),
    ...needed[input.action]
      .filter((path) => input[path] === undefined)
      .map((path) => ({ path, message: `${input.action} needs ${path}` })),
    ...(input.aggregates ?? [])
      .filter((one) => one.function !== "count" && one.column === undefined)
      .map((one) => ({ path: "aggregates" as const, message: `${one.function} needs a column` })),
  ];
}
