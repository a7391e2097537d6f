/** What the server says of a table: the only names that a statement may hold. */
import { shown } from "../names.ts";
import { Refusal } from "../refusal.ts";

/** How values of a column are written, which is coarser than its type. */
export type Kind =
  | "integer"
  | "bit"
  | "decimal"
  | "float"
  | "text"
  | "long_text"
  | "binary"
  | "long_binary"
  | "date"
  | "time"
  | "moment"
  | "geometry";

export interface Column {
  readonly name: string;
  readonly kind: Kind;
}

export interface Table {
  /** As the config lists it. */
  readonly name: string;
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly Column[];
  /** Columns of each primary or unique key, the primary one first, in the key's order. */
  readonly uniqueKeys: readonly (readonly string[])[];
}

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...["tinyint", "smallint", "mediumint", "int", "bigint", "year"].map(as("integer")),
  ...["bit"].map(as("bit")),
  ...["decimal", "numeric"].map(as("decimal")),
  ...["float", "double", "real"].map(as("float")),
  ...["tinytext", "text", "mediumtext", "longtext", "json"].map(as("long_text")),
  ...["binary", "varbinary"].map(as("binary")),
  ...["tinyblob", "blob", "mediumblob", "longblob", "vector"].map(as("long_binary")),
  ...["date"].map(as("date")),
  ...["time"].map(as("time")),
  ...["datetime", "timestamp"].map(as("moment")),
  ...["geometry", "point", "linestring", "polygon", "multipoint"].map(as("geometry")),
  ...["multilinestring", "multipolygon", "geometrycollection", "geomcollection"].map(as("geometry")),
]);

function as(kind: Kind) {
  return (type: string): [string, Kind] => [type, kind];
}

/** The kind of a type as information_schema names it; what is unknown (enum, uuid, inet6, ...) is text. */
export function kindOf(dataType: string): Kind {
  return KINDS.get(dataType.toLowerCase()) ?? "text";
}

/** The column of exactly this name. */
export function columnOf(table: Table, name: string): Column {
  const found = table.columns.find((column) => column.name === name);
  if (found !== undefined) return found;
  const names = table.columns.map((column) => column.name).join(", ");
  throw new Refusal(
    "column_unknown",
    `The table ${table.name} has no column ${shown(name)}. Its columns are exactly: ${names}.`,
  );
}
