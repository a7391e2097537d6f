/** Keys on a task that has the focus: arrows walk over the board, letters begin an act. */
import type { Task } from "../api/types.ts";
import { changeQuery } from "../location/place.ts";
import { ACT_KEYS, ACTS, type Act, isAllowed } from "./rules.ts";

/** Opens the task's panel at the act. */
export function beginAct(taskId: string, act: Act): void {
  changeQuery({ task: taskId, act, new: null });
}

export function onTaskKey(event: KeyboardEvent & { readonly currentTarget: HTMLElement }, task: Task): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = ACTS.find((each) => ACT_KEYS[each] === event.key.toLowerCase());
  if (act !== undefined && isAllowed(task, act)) beginAct(task.taskId, act);
  else if (!moveFocus(event.currentTarget, event.key)) return;
  event.preventDefault();
}

/** Up and down within a column; left and right to the card at the same height of the next that has any. */
function moveFocus(link: HTMLElement, key: string): boolean {
  const columns = [...(link.closest(".board")?.querySelectorAll(".column") ?? [])]
    .map((column) => [...column.querySelectorAll<HTMLElement>(".task-link")])
    .filter((links) => links.length > 0);
  const across = columns.findIndex((links) => links.includes(link));
  const down = columns[across]?.indexOf(link) ?? 0;
  const steps: Readonly<Record<string, readonly [number, number]>> = {
    ArrowUp: [across, down - 1],
    ArrowDown: [across, down + 1],
    ArrowLeft: [across - 1, down],
    ArrowRight: [across + 1, down],
  };
  const [column, row] = steps[key] ?? [-1, -1];
  const links = columns[column];
  if (links === undefined || row < 0) return false;
  (links[row] ?? links.at(-1))?.focus();
  return true;
}
