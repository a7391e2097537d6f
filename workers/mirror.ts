/** Joins the mirror to its database: the config's place, the secret that leads in, the driver. */
import type { InstanceConfig } from "../core/config/instance.ts";
import type { MirrorConfig } from "../core/config/retention.ts";
import { resolveSecrets } from "../core/config/secrets.ts";
import { describeError } from "../core/log.ts";
import { type MirrorRun, runMirror } from "../core/mirror/run-mirror.ts";
import { cutToUnits } from "../core/record/stored-text.ts";
import type { Env } from "../durable-objects/env.ts";
import { isNear } from "../protocols/mysql/near-host.ts";
import { workerLog } from "./log.ts";
import { knownScrubber } from "./wiring.ts";

/** What a minute may take of the invocation's subrequests, and of its time. */
const MAX_ROWS = 5_000;
const MAX_MS = 25_000;
const ERROR_CHARS = 1_000;

/** Names the database without what leads in. */
export function mirrorTargetOf({ host, port, database }: MirrorConfig): string {
  return `${host}:${port}/${database}`;
}

/** The minute's part of copying the record. Without a mirror nothing is read and no driver loaded. Rejects when D1 does. */
export async function mirrorRecord(env: Env, instance: InstanceConfig): Promise<void> {
  const { mirror, plainVars } = instance;
  if (mirror === undefined) return;
  const { scrub } = knownScrubber(env, plainVars);
  const run = await runMirror({
    db: env.DB,
    texts: env.TEXTS,
    target: mirrorTargetOf(mirror),
    connected: async (work) => {
      const place = placeOf(mirror, env);
      const { withMirrorTarget } = await import("./mirror-target.ts");
      await withMirrorTarget(place, work);
    },
    describe: (error) => cutToUnits(scrub(describeError(error)), ERROR_CHARS),
    now: Date.now,
    maxRows: MAX_ROWS,
    maxMs: MAX_MS,
  });
  tell(env, plainVars, run);
}

function placeOf(mirror: MirrorConfig, env: Env) {
  const { host, port, username, database } = mirror;
  const { password } = mirror;
  const resolved = resolveSecrets({ password: password ?? "" }, { ...env });
  if (!resolved.ok) throw new Error(`The mirror's secret ${resolved.missing.join(", ")} is not set`);
  return {
    host,
    port,
    user: username,
    password: passwordIn(resolved.value),
    database,
    tls: mirror.tls ?? !isNear(host),
  };
}

function passwordIn(value: unknown): string {
  return typeof value === "object" && value !== null && "password" in value ? String(value.password) : "";
}

function tell(env: Env, plainVars: readonly string[], run: MirrorRun): void {
  const log = workerLog(env, plainVars);
  if (run.state === "failed") log.warn(`The mirror could not be written: ${describeError(run.error)}`);
  if (run.state === "written") log.debug(`${run.rows} rows were mirrored`);
}
