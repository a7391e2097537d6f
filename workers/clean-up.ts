/** Retention of messages, ticks and log lines: a few bounded batches a minute in one hour of the night, until nothing is left to delete. */

import { APPROVAL_RETENTION_DAYS, LOG_RETENTION_DAYS } from "../core/limits.ts";
import { deleteOldApprovals } from "../core/record/delete-old-approvals.ts";
import { deleteOldLog } from "../core/record/delete-old-log.ts";
import { deleteOldMessages } from "../core/record/delete-old-messages.ts";
import { deleteOldTicks, trimTicks } from "../core/record/delete-old-ticks.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { hubStub } from "./objects.ts";

const HOUR_UTC = 3;
const DAY_MS = 86_400_000;
const BATCH_ROWS = 500;
const BATCHES_PER_MINUTE = 10;

/** Called each minute. Outside its hour, or with nothing to delete, it reads at most a few rows. */
export async function runDailyCleanUp(env: Env, scheduledTime: number): Promise<void> {
  const time = new Date(scheduledTime);
  if (time.getUTCHours() !== HOUR_UTC) return;
  await cleanUp(env, scheduledTime);
  await cleanUpLog(env, scheduledTime);
  await deleteOldTicks(env.DB, scheduledTime, BATCHES_PER_MINUTE * BATCH_ROWS);
  if (time.getUTCMinutes() !== 0) return;
  await trimTicks(env.DB);
  const decided = new Date(scheduledTime - APPROVAL_RETENTION_DAYS * DAY_MS).toISOString();
  await deleteOldApprovals(env.DB, decided, BATCHES_PER_MINUTE * BATCH_ROWS);
}

/** Deletes messages older than the instance keeps them. Safe to be cut short anywhere. */
export async function cleanUp(env: Env, now: number): Promise<void> {
  const { instance } = await again(() => hubStub(env).directory());
  const days = instance?.agentMessageRetentionDays ?? 0;
  if (days === 0) return;
  const olderThan = new Date(now - days * DAY_MS).toISOString();
  for (let batch = 0; batch < BATCHES_PER_MINUTE; batch += 1) {
    const { more } = await deleteOldMessages(env.DB, env.TEXTS, { olderThan, batchRows: BATCH_ROWS });
    if (!more) return;
  }
}

async function cleanUpLog(env: Env, now: number): Promise<void> {
  const olderThan = new Date(now - LOG_RETENTION_DAYS * DAY_MS).toISOString();
  for (let batch = 0; batch < BATCHES_PER_MINUTE; batch += 1)
    if (!(await deleteOldLog(env.DB, olderThan, BATCH_ROWS))) return;
}
