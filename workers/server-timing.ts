import type { Context } from "hono";
import type { Reader } from "../core/record/reader.ts";

/** Tells what the answer has cost in D1 rows read, as billed. */
export function countRowsRead(context: Context, reader: Reader): void {
  context.header("Server-Timing", `d1;desc="rows_read=${reader.rowsRead}"`);
}
