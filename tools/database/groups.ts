/** What a query with groups may name, whatever the database. */
import type { Query } from "./input.ts";
import { checkAlias, shown } from "./names.ts";
import { Refusal } from "./refusal.ts";

/** The grouped columns that are part of the answer. */
export function shownGroups({ columns, groupBy }: Query): readonly string[] {
  const stray = columns?.find((name) => !groupBy.includes(name));
  if (stray === undefined) return columns ?? groupBy;
  throw new Refusal(
    "request_refused",
    `With groupBy or aggregates, columns may only name what is in groupBy; ${shown(stray)} is not.`,
  );
}

/** Refuses names of aggregates that are none, or that stand for something else as well. */
export function checkAliases({ aggregates, groupBy }: Query): void {
  const names = aggregates.map((one) => checkAlias(one.as));
  const twice = names.find((name, index) => names.indexOf(name) !== index || groupBy.includes(name));
  if (twice === undefined) return;
  throw new Refusal("request_refused", `The name ${shown(twice)} would stand for two things; give "as".`);
}

/** What groups are ordered by: a place in `groupBy` or in `aggregates`. */
export interface GroupOrder {
  readonly kind: "group" | "aggregate";
  readonly index: number;
}

export function groupOrder(name: string, { groupBy, aggregates }: Query): GroupOrder {
  const aggregate = aggregates.findIndex((one) => one.as === name);
  if (aggregate !== -1) return { kind: "aggregate", index: aggregate };
  const group = groupBy.indexOf(name);
  if (group !== -1) return { kind: "group", index: group };
  throw new Refusal(
    "request_refused",
    `Groups are ordered by a column in groupBy or by the name of an aggregate; ${shown(name)} is neither.`,
  );
}
