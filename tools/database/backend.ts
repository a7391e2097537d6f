/** What each kind of database does for the tool. All answers are JSON texts; failures are thrown as `Refusal`. */
import type { ToolContext } from "../../core/tool.ts";
import type { DatabaseConfig } from "./config.ts";
import type { Query, Row } from "./input.ts";
import type { PageRequest } from "./page.ts";

export interface Call {
  readonly config: DatabaseConfig;
  readonly signal: AbortSignal;
  /** Guarded against addresses that a config must not reach. */
  readonly fetch: ToolContext<unknown>["fetch"];
}

export interface UpsertRows {
  readonly rows: readonly Row[];
  readonly keys: readonly string[];
}

export interface Backend {
  query(query: Query, page: PageRequest, call: Call): Promise<string>;
  insert(table: string, rows: readonly Row[], call: Call): Promise<string>;
  upsert(table: string, upsert: UpsertRows, call: Call): Promise<string>;
}
