/** What the cron trigger does each minute. It wakes no agent's object unless there is work for it. */
import { scanBoard } from "../core/board/scan.ts";
import type { InstanceConfig } from "../core/config/instance.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { runAnalysis } from "./analysis.ts";
import { expireApprovals } from "./approvals.ts";
import { workerBoard } from "./board.ts";
import { runDailyCleanUp } from "./clean-up.ts";
import { instanceOf } from "./config-store.ts";
import { deployedVersion, runDueJobs } from "./due-jobs.ts";
import { handOver } from "./hand-over.ts";
import { mirrorRecord } from "./mirror.ts";
import { sendNotices } from "./notices.ts";
import { hubStub } from "./objects.ts";
import { runReport } from "./report.ts";

/**
 * Rejects when part of it failed, and the next minute does what is left. No part ends with another, and none waits for
 * another but for the record's upkeep.
 */
export async function everyMinute(env: Env, scheduledTime: number): Promise<void> {
  const minute = await again(() => hubStub(env).minute(scheduledTime, deployedVersion(env)));
  const instance = instanceOf(minute);
  const parts = await Promise.allSettled([
    minute.owing ? handOver(env) : null,
    runDueJobs(env, minute.due, scheduledTime),
    // What the scan finds out goes to the channel in the same minute.
    scanBoard(workerBoard(env), instance.siltedAfterHours).finally(() => sendNotices(env, instance)),
    minute.still ? null : keepRecord(env, instance, scheduledTime),
    expireApprovals(env, scheduledTime),
    runReport(env, instance, { mark: minute.report, at: scheduledTime }),
  ]);
  const failed = parts.find((part) => part.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/**
 * Each of the three may make as many statements as go well into one invocation: in a minute of the night in which rows
 * have gone, the others rest.
 */
async function keepRecord(env: Env, instance: InstanceConfig, scheduledTime: number): Promise<void> {
  if ((await runDailyCleanUp(env, instance, scheduledTime)) > 0) return;
  const parts = await Promise.allSettled([
    mirrorRecord(env, instance),
    runAnalysis(env, instance, scheduledTime),
  ]);
  const failed = parts.find((part) => part.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
