import type { LiveEvent } from "../events.ts";
import { liveMessage } from "../hub/live-message.ts";
import type { Board } from "./board.ts";
import { listedTask } from "./view.ts";
import type { BoardBatch } from "./write-board.ts";

/** Tells the live feed what a written batch has changed: tasks as they stand now, messages and notices. */
export function announceBatch(board: Board, batch: BoardBatch): void {
  const tasks = [batch.changed ?? batch.touched ?? null, ...batch.created].filter((task) => task !== null);
  const events: LiveEvent[] = [
    ...tasks.map((task) => ({ type: "task", task: listedTask(task) }) as const),
    ...batch.messages.map((row) => ({ type: "message", message: liveMessage(row) }) as const),
    ...batch.notices.map((notice) => ({ type: "notice", notice }) as const),
  ];
  if (events.length > 0) board.publish(events);
}
