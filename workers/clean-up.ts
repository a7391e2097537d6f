/** The night's work: what is old goes, a few bounded batches a minute in one hour, until nothing is left to do. */
import { type InstanceConfig, instanceSchema } from "../core/config/instance.ts";
import type { Logger } from "../core/log.ts";
import { dropMirror, isFilled } from "../core/mirror/state.ts";
import { retentionSteps, SURPLUS_STEP } from "../core/retention/steps.ts";
import type { Env } from "../durable-objects/env.ts";
import { workerLog } from "./log.ts";
import { mirrorTargetOf } from "./mirror.ts";

const HOUR_UTC = 3;

/** When every job is looked at for ticks beyond its newest; each look reads thousands of rows a job. */
const SURPLUS_MINUTES = 15;

/** Whether this isolate's latest look found some: then the next minute looks again. One that does not know waits. */
let hasSurplus = false;

interface NightStep {
  readonly name: string;
  /** Answers how many rows have gone. */
  run(): Promise<number>;
}

/**
 * Called each minute; outside its hour it does nothing. Each step is made whatever became of the others, one
 * after the other, since each holds a batch in memory; what failed is logged and comes again at the next
 * minute. Answers how many rows have gone; rejects with the first failure at the end.
 */
export async function runDailyCleanUp(
  env: Env,
  instance: InstanceConfig,
  scheduledTime: number,
): Promise<number> {
  if (new Date(scheduledTime).getUTCHours() !== HOUR_UTC) return 0;
  const failures: unknown[] = [];
  const log = workerLog(env, instance.plainVars);
  let gone = 0;
  for (const step of await nightSteps(env, { instance, log, now: scheduledTime }))
    await step.run().then(
      (rows) => {
        gone += rows;
        if (step.name === SURPLUS_STEP) hasSurplus = rows > 0;
      },
      (error: unknown) => {
        failures.push(error);
        log.error(`The night's clean-up of ${step.name} failed; it goes on at the next minute`, error);
      },
    );
  if (failures.length > 0) throw failures[0];
  return gone;
}

interface Night {
  readonly instance: InstanceConfig;
  readonly log: Logger;
  readonly now: number;
}

async function nightSteps(env: Env, { instance, log, now }: Night): Promise<NightStep[]> {
  // A document that was stored by an older version lacks what this one has as defaults.
  const document = instanceSchema.parse(instance);
  const { mirror } = document;
  const surplus = hasSurplus || new Date(now).getUTCMinutes() % SURPLUS_MINUTES === 0;
  const stores = { db: env.DB, texts: env.TEXTS, now: () => now };
  const mayGo = await isCopied(env, mirror);
  const retention = retentionSteps(document, now, { surplus, tell: (text) => log.warn(text) })
    .filter(({ mirrored }) => !mirrored || mayGo)
    .map((step) => ({ name: step.name, run: () => step.run(stores) }));
  if (mirror !== undefined) return retention;
  // First: rows that a former mirror still waits for would stay.
  return [{ name: "the former mirror", run: () => dropMirror(env.DB).then(() => 0) }, ...retention];
}

/** Until the mirror has everything that was there before, nothing of the record is deleted. */
async function isCopied(env: Env, mirror: InstanceConfig["mirror"]): Promise<boolean> {
  if (mirror === undefined) return true;
  return isFilled(env.DB, mirrorTargetOf(mirror)).catch(() => false);
}
