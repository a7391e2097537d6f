/** Log lines as they stand in D1. */
import { selectList } from "./columns.ts";
import { logs } from "./schema.ts";

/** One line. `occurredAt` is ISO 8601 UTC with milliseconds. */
export type LogRow = Readonly<Omit<typeof logs.$inferSelect, "id">>;
export type LogView = LogRow & { readonly id: number };

export const LOG_COLUMNS = selectList(logs, "l");
