/** The night's work: what is old goes, a few bounded batches a minute in one hour, until nothing is left to do. */
import { type InstanceConfig, instanceSchema } from "../core/config/instance.ts";
import type { Logger } from "../core/log.ts";
import { dropMirror, isFilled } from "../core/mirror/state.ts";
import { retentionSteps } from "../core/retention/steps.ts";
import type { Env } from "../durable-objects/env.ts";
import { workerLog } from "./log.ts";
import { mirrorTargetOf } from "./mirror.ts";

const HOUR_UTC = 3;

interface NightStep {
  readonly name: string;
  run(): Promise<unknown>;
}

/**
 * Called each minute; outside its hour it does nothing. Each step is made whatever became of the others, one
 * after the other, since each holds a batch in memory; what failed is logged and comes again at the next
 * minute. Rejects with the first failure at the end.
 */
export async function runDailyCleanUp(
  env: Env,
  instance: InstanceConfig,
  scheduledTime: number,
): Promise<void> {
  if (new Date(scheduledTime).getUTCHours() !== HOUR_UTC) return;
  const failures: unknown[] = [];
  const log = workerLog(env, instance.plainVars);
  for (const step of await nightSteps(env, instance, scheduledTime))
    await step.run().catch((error: unknown) => {
      failures.push(error);
      tellFailure(log, step, error);
    });
  if (failures.length > 0) throw failures[0];
}

function tellFailure(log: Logger, { name }: NightStep, error: unknown): void {
  log.error(`The night's clean-up of ${name} failed; it goes on at the next minute`, error);
}

async function nightSteps(env: Env, instance: InstanceConfig, now: number): Promise<NightStep[]> {
  // A document that was stored by an older version lacks what this one has as defaults.
  const document = instanceSchema.parse(instance);
  const { mirror } = document;
  const surplus = new Date(now).getUTCMinutes() === 0;
  const stores = { db: env.DB, texts: env.TEXTS, now: () => now };
  const mayGo = await isCopied(env, mirror);
  const retention = retentionSteps(document, now, { surplus })
    .filter(({ mirrored }) => !mirrored || mayGo)
    .map((step) => ({ name: step.name, run: () => step.run(stores) }));
  if (mirror !== undefined) return retention;
  // First: rows that a former mirror still waits for would stay.
  return [{ name: "the former mirror", run: () => dropMirror(env.DB) }, ...retention];
}

/** Until the mirror has everything that was there before, nothing of the record is deleted. */
async function isCopied(env: Env, mirror: InstanceConfig["mirror"]): Promise<boolean> {
  if (mirror === undefined) return true;
  return isFilled(env.DB, mirrorTargetOf(mirror)).catch(() => false);
}
