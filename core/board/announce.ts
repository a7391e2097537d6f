import type { Board } from "./board.ts";
import type { TaskRow } from "./task.ts";
import { listedTask } from "./view.ts";

/** Tells the live feed how tasks stand now. */
export function announceTask(board: Board, tasks: readonly TaskRow[]): void {
  board.publish(tasks.map((task) => ({ type: "task", task: listedTask(task) })));
}
