import type { Parameter } from "./value.ts";

/** SQL with a `?` for every value; the model's texts are in `parameters` only. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** A name as SQL. Names come from the server's own catalogue, and are quoted all the same. */
export function quote(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

export const quoteTable = ({ schema, table }: { readonly schema: string; readonly table: string }) =>
  `${quote(schema)}.${quote(table)}`;

/** Several pieces with text between them. */
export function joined(parts: readonly Statement[], between: string): Statement {
  return {
    sql: parts.map(({ sql }) => sql).join(between),
    parameters: parts.flatMap(({ parameters }) => parameters),
  };
}
