/** What the cron trigger does each minute. It wakes no agent's object unless there is work for it. */
import { scanBoard } from "../core/board/scan.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { workerBoard } from "./board.ts";
import { runDailyCleanUp } from "./clean-up.ts";
import { instanceOf } from "./config-store.ts";
import { hubStub } from "./objects.ts";

export async function everyMinute(env: Env, scheduledTime: number): Promise<void> {
  const directory = await again(() => hubStub(env).directory());
  await Promise.all([
    scanBoard(workerBoard(env), instanceOf(directory).siltedAfterHours),
    runDailyCleanUp(env, scheduledTime),
  ]);
}
