/** A call of the tool as requests to MongoDB, the same over its own protocol and over HTTP. */

import type { UpsertRows } from "../backend.ts";
import { checkAliases, groupOrder, shownGroups } from "../groups.ts";
import { type Aggregate, isGrouped, type Query, type Row } from "../input.ts";
import { checkField, checkPath, shown } from "../names.ts";
import { Refusal } from "../refusal.ts";
import { filterOf, type MongoDocument } from "./filter.ts";
import { bsonOf, shownDocument } from "./value.ts";

export type Sort = Record<string, 1 | -1>;

export type ReadRequest =
  | {
      readonly kind: "find";
      readonly filter: MongoDocument;
      readonly projection: MongoDocument;
      readonly sort: Sort;
      readonly skip: number;
      /** One more than the query's, which tells whether there are more. */
      readonly limit: number;
    }
  | { readonly kind: "aggregate"; readonly pipeline: MongoDocument[] };

/** How to read, and how a document of the answer becomes a row. */
export interface Reading {
  readonly request: ReadRequest;
  readonly rowOf: (document: object) => Row;
}

export function readingOf(query: Query): Reading {
  checkAliases(query);
  return isGrouped(query) ? groupReading(query) : findReading(query);
}

function findReading(query: Query): Reading {
  const columns = query.columns?.map((name) => checkPath(name)) ?? [];
  const projection = Object.fromEntries(columns.map((name) => [name, 1]));
  const withId = columns.length === 0 || columns.includes("_id");
  const order = query.orderBy.map(({ column, direction }) => [checkPath(column), signOf(direction)] as const);
  return {
    request: {
      kind: "find",
      filter: filterOf(query.where),
      projection: withId ? projection : { ...projection, _id: 0 },
      // Without any order, pages could overlap.
      sort: order.length === 0 ? { _id: 1 } : Object.fromEntries(order),
      skip: query.offset,
      limit: query.limit + 1,
    },
    rowOf: shownDocument,
  };
}

/** Groups and aggregates go by numbers of ours (`g0`, `a0`); the model's names are put on the rows afterwards. */
function groupReading(query: Query): Reading {
  const groups = query.groupBy.map((name, index) => [`g${index}`, `$${checkPath(name)}`] as const);
  const sums = query.aggregates.map((one, index) => [`a${index}`, accumulator(one)] as const);
  const order = query.orderBy.map(({ column, direction }) => {
    const { kind, index } = groupOrder(column, query);
    return [kind === "group" ? `_id.g${index}` : `a${index}`, signOf(direction)] as const;
  });
  const pipeline = [
    { $match: filterOf(query.where) },
    { $group: { _id: groups.length === 0 ? null : Object.fromEntries(groups), ...Object.fromEntries(sums) } },
    ...(groups.length === 0 ? [] : [{ $sort: order.length === 0 ? { _id: 1 } : Object.fromEntries(order) }]),
    ...(query.offset === 0 ? [] : [{ $skip: query.offset }]),
    { $limit: query.limit + 1 },
  ];
  const names = shownGroups(query).map((name) => [name, query.groupBy.indexOf(name)] as const);
  return { request: { kind: "aggregate", pipeline }, rowOf: (document) => groupRow(document, query, names) };
}

function groupRow(document: object, query: Query, names: readonly (readonly [string, number])[]): Row {
  const { _id, ...sums } = shownDocument(document);
  const groups: object = typeof _id === "object" && _id !== null ? _id : {};
  const group = new Map(Object.entries(groups));
  const aggregate = new Map(Object.entries(sums));
  return Object.fromEntries([
    ...names.map(([name, index]) => [name, group.get(`g${index}`) ?? null]),
    ...query.aggregates.map((one, index) => [one.as, aggregate.get(`a${index}`) ?? null]),
  ]);
}

function accumulator(one: Aggregate): MongoDocument {
  if (one.column === null) return { $sum: 1 };
  const field = `$${checkPath(one.column)}`;
  if (one.function !== "count") return { [`$${one.function}`]: field };
  return { $sum: { $cond: [{ $eq: [{ $ifNull: [field, null] }, null] }, 0, 1] } };
}

const signOf = (direction: "asc" | "desc") => (direction === "asc" ? 1 : -1);

export function documentsOf(rows: readonly Row[]): MongoDocument[] {
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [checkField(name), bsonOf(value)])),
  );
}

export interface UpdateRequest {
  readonly filter: MongoDocument;
  readonly update: MongoDocument;
}

/** One update per row. Every row must have a plain value for each key. */
export function updatesOf({ rows, keys }: UpsertRows): UpdateRequest[] {
  for (const key of keys) checkField(key);
  return documentsOf(rows).map((document, index) => {
    const entries = Object.entries(document);
    const found = keys.map((key) => [key, keyValue(document[key], key, index)] as const);
    const others = entries.filter(([name]) => !keys.includes(name));
    return {
      filter: Object.fromEntries(found.map(([key, value]) => [key, { $eq: value }])),
      update: {
        $setOnInsert: Object.fromEntries(found),
        ...(others.length === 0 ? {} : { $set: Object.fromEntries(others) }),
      },
    };
  });
}

/** A list would also find documents in whose list it is, and null those without the field. */
function keyValue(value: unknown, key: string, index: number): unknown {
  const isPlain =
    typeof value !== "object" || value instanceof Date || (value !== null && "_bsontype" in value);
  if (value !== undefined && isPlain) return value;
  throw new Refusal(
    "keys_refused",
    `Row ${index} needs a plain value for ${shown(key)}, which is one of the keys.`,
  );
}
