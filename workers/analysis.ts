/** The analysis as the Worker runs it: each minute, and before it answers for figures. */
import { analyse, forgetQuestions } from "../core/analysis/analyse.ts";
import type { InstanceConfig } from "../core/config/instance.ts";
import { daysKept } from "../core/config/retention.ts";
import { createReader, type Reader } from "../core/record/reader.ts";
import type { Env } from "../durable-objects/env.ts";
import { embedder, withoutWaiting } from "./embedder.ts";
import { isLookMinute } from "./look-minute.ts";

const STEPS_PER_MINUTE = 20;
/** Enough for what came in since the last minute; a backlog is left to the minutes to come and shows as pending. */
const STEPS_PER_ANSWER = 3;
const DAY_MS = 86_400_000;

/** When questions are forgotten, like everything that is old. */
const FORGET_HOUR_UTC = 3;

/** Whether this isolate left work undone; one that does not know waits for the next look. */
let isBehind = false;

/**
 * The minute's part: a look every fifth minute, and each minute while there is a backlog. Whoever asks for figures
 * gets what is new all the same, see `catchUp`.
 */
export async function runAnalysis(env: Env, instance: InstanceConfig, now: number): Promise<void> {
  if (!isBehind && !isLookMinute(now)) return;
  const reader = createReader(env.DB);
  isBehind = await hasNews(reader);
  if (isBehind) {
    await analyse({ db: env.DB, reader, embed: embedder(env, instance, now) }, STEPS_PER_MINUTE);
    isBehind = await hasNews(reader);
  }
  const days = daysKept(instance, "messages");
  if (days > 0 && new Date(now).getUTCHours() === FORGET_HOUR_UTC)
    await forgetQuestions(env.DB, new Date(now - days * DAY_MS).toISOString());
}

async function hasNews(reader: Reader): Promise<boolean> {
  const row = await reader.first<{ news: number }>(
    `SELECT EXISTS (SELECT 1 FROM "DirtyChains") OR EXISTS (SELECT 1 FROM "NewAnswers")
      OR EXISTS (SELECT 1 FROM "AnalysisState" WHERE "CountedUpTo" IS NOT NULL) AS "news"`,
  );
  return row?.news === 1;
}

/** Brings the figures up to date before they are shown. */
export async function catchUp(env: Env, instance: InstanceConfig, reader: Reader): Promise<void> {
  await analyse({ db: env.DB, reader, embed: withoutWaiting(instance) }, STEPS_PER_ANSWER);
}
