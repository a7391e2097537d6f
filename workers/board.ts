import type { Board } from "../core/board/board.ts";
import { boardPort } from "../durable-objects/board-port.ts";
import type { Env } from "../durable-objects/env.ts";
import { workerLog } from "./log.ts";

/** The taskboard as the Worker's doors reach it. */
export function workerBoard(env: Env): Board {
  return boardPort(env, workerLog(env));
}
