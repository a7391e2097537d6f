/** Of what a chain may have had rows that retention has deleted for good. */
import type { InstanceConfig } from "../config/instance.ts";
import { daysKept, type KeptKind } from "../config/retention.ts";

/** Kinds of rows that belong to a chain. */
const OF_CHAIN: readonly KeptKind[] = ["messages", "audit", "receipts", "notices", "approvals", "tasks"];
const DAY_MS = 86_400_000;

/** `since`: the chain's earliest row that is known (ISO 8601); `now` in epoch milliseconds. No instance: no retention. */
export function deletedKinds(
  instance: InstanceConfig | null,
  { since, now }: { readonly since: string | null; readonly now: number },
): KeptKind[] {
  if (instance === null || since === null) return [];
  return OF_CHAIN.filter((kind) => {
    const days = daysKept(instance, kind);
    const archived = instance.archive?.tables.includes(kind) === true;
    return days > 0 && !archived && since < new Date(now - days * DAY_MS).toISOString();
  });
}
