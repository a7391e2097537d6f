/** How delegations ended: each is in one class. */
import type { MessageSums } from "./read-rollups.ts";
import type { Delegations } from "./stats-view.ts";
import type { UnfinishedTask } from "./unfinished.ts";

export function delegationsOf(
  messages: readonly MessageSums[],
  unfinished: readonly UnfinishedTask[],
): Delegations {
  const tasks = messages.filter(({ channel }) => channel === "task");
  const sum = (value: (sums: MessageSums) => number) => tasks.reduce((total, each) => total + value(each), 0);
  const denied = sum((each) => each.requestDenied);
  const total = sum((each) => each.requests);
  const [result, blocked, rejected, cancelled] = [
    sum((each) => each.done),
    sum((each) => each.blocked),
    sum((each) => each.rejected),
    sum((each) => each.cancelled),
  ];
  const silted = unfinished.filter((task) => task.silted).length;
  const open = unfinished.length - silted;
  const known = result + blocked + rejected + cancelled + silted + open + denied;
  return {
    total,
    result,
    blocked,
    rejected,
    cancelled,
    silted,
    open,
    denied,
    unknown: Math.max(0, total - known),
  };
}
