/** Which tables an agent may reach: those of its list, by their exact names, and nothing else. */
import type { DatabaseConfig } from "./config.ts";
import { shown } from "./names.ts";
import { Refusal } from "./refusal.ts";

const ALL = "*";
const MAX_LISTED = 20;
/** What `"*"` can mean: a plain name of the own database. Other databases must be named in full. */
const PLAIN = /^[\p{L}_][\p{L}\p{M}\p{Nd}_$-]{0,63}$/u;

/**
 * The table's name, as it stands in the list. Compared character by character: no folding of case or Unicode,
 * no trimming, no unquoting, so nothing but the listed name itself gets through.
 */
export function checkTable(table: string, config: Pick<DatabaseConfig, "allowedTables">): string {
  const { allowedTables } = config;
  const listed = allowedTables.includes(table) && table !== ALL;
  if (listed || (allowedTables.includes(ALL) && PLAIN.test(table))) return table;
  throw new Refusal("table_refused", `The table ${shown(table)} is not allowed. ${allowedWords(config)}`);
}

/** For messages: what may be used instead. */
export function allowedWords({ allowedTables }: Pick<DatabaseConfig, "allowedTables">): string {
  if (allowedTables.includes(ALL)) return "All tables of the database are allowed, by their exact names.";
  if (allowedTables.length === 0) return "No table is allowed (allowedTables is empty in the config).";
  const names = allowedTables.slice(0, MAX_LISTED).join(", ");
  const more = allowedTables.length > MAX_LISTED ? ` and ${allowedTables.length - MAX_LISTED} more` : "";
  return `Allowed are exactly: ${names}${more}.`;
}
