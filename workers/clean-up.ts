/** Retention of messages: a few bounded batches a minute in one hour of the night, until nothing is left to delete. */

import { deleteOldMessages } from "../core/record/delete-old-messages.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { hubStub } from "./objects.ts";

const HOUR_UTC = 3;
const DAY_MS = 86_400_000;
const BATCH_ROWS = 500;
const BATCHES_PER_MINUTE = 10;

/** Called each minute. Outside its hour, or with nothing to delete, it reads at most a few rows. */
export async function runDailyCleanUp(env: Env, scheduledTime: number): Promise<void> {
  if (new Date(scheduledTime).getUTCHours() !== HOUR_UTC) return;
  await cleanUp(env, scheduledTime);
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
