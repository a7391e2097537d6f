import type { Context, MiddlewareHandler } from "hono";
import { createReader, type Reader } from "../core/record/reader.ts";
import type { AppEnv } from "./app-env.ts";

/** The request's reader; everything that it reads from D1 is counted into the answer. */
export function readerOf(context: Context<AppEnv>): Reader {
  const known = context.get("reader");
  if (known !== undefined) return known;
  const reader = createReader(context.env.DB);
  context.set("reader", reader);
  return reader;
}

/** Every answer that read from D1, errors too, tells what that has cost in rows read, as billed. */
export const countRowsRead: MiddlewareHandler<AppEnv> = async (context, next) => {
  await next();
  const reader = context.get("reader");
  if (reader !== undefined) context.header("Server-Timing", `d1;desc="rows_read=${reader.rowsRead}"`);
};
