/** The record as the analyst's tool gets it: a handle that only reads. */
import { type AnalystRecord, createAnalystRecord } from "../core/analysis/analyst-record.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { instanceOf } from "./config-store.ts";
import { hubStub } from "./objects.ts";

export function analystRecord(env: Env): AnalystRecord {
  return createAnalystRecord(env.DB, async () => {
    const { siltedAfterHours } = instanceOf(await again(() => hubStub(env).directory()));
    return { now: Date.now(), siltedAfterHours };
  });
}
