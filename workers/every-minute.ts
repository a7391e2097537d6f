/** What the cron trigger does each minute. It wakes no agent's object unless there is work for it. */
import { scanBoard } from "../core/board/scan.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { expireApprovals } from "./approvals.ts";
import { workerBoard } from "./board.ts";
import { runDailyCleanUp } from "./clean-up.ts";
import { instanceOf } from "./config-store.ts";
import { deployedVersion, runDueJobs } from "./due-jobs.ts";
import { sendNotices } from "./notices.ts";
import { hubStub } from "./objects.ts";

/** Rejects when part of it failed; no part waits for another or ends with it, and the next minute does what is left. */
export async function everyMinute(env: Env, scheduledTime: number): Promise<void> {
  const minute = await again(() => hubStub(env).minute(scheduledTime, deployedVersion(env)));
  const instance = instanceOf(minute);
  const parts = await Promise.allSettled([
    runDueJobs(env, minute.due, scheduledTime),
    // What the scan finds out goes to the channel in the same minute.
    scanBoard(workerBoard(env), instance.siltedAfterHours).finally(() => sendNotices(env, instance)),
    runDailyCleanUp(env, scheduledTime),
    expireApprovals(env, scheduledTime),
  ]);
  const failed = parts.find((part) => part.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
