/** Erasing in the versions of a config document. */
import { type Database, int, text, textOrNull } from "../journal/database.ts";
import type { Needle } from "./needle.ts";

/** Those that name it go, and who made the others is erased where that names it. `spareNewest`: it is in force. Answers how many held it. */
export function eraseVersions(
  db: Database,
  needle: Needle,
  { write, spareNewest }: { readonly write: boolean; readonly spareNewest: boolean },
): number {
  const rows = db.all("SELECT version, document, actor FROM ConfigVersions ORDER BY version DESC");
  let found = 0;
  for (const [index, row] of rows.entries()) {
    const isInForce = spareNewest && index === 0;
    const actor = textOrNull(row, "actor") ?? "";
    const goes = !isInForce && needle.count(text(row, "document")) > 0;
    if (!goes && needle.count(actor) === 0) continue;
    found += 1;
    if (!write) continue;
    const version = int(row, "version");
    if (goes) db.run("DELETE FROM ConfigVersions WHERE version = ?", version);
    else db.run("UPDATE ConfigVersions SET actor = ? WHERE version = ?", needle.erase(actor), version);
  }
  return found;
}
