import { Refusal } from "../refusal.ts";

/** What MongoDB keeps for itself is nobody's data, also when the config allows every collection. */
export function checkCollection(name: string): string {
  if (!name.startsWith("system.") && !name.startsWith("$")) return name;
  throw new Refusal("table_refused", "Collections of the system itself cannot be used.");
}
