/** What an agent's object is made of, and what its parts do together. */
import { isPaused, recoverRuns } from "../../core/agent/agent.ts";
import { Delivery } from "../../core/agent/delivery.ts";
import { AgentApprovals } from "../../core/approval/agent-approvals.ts";
import { createVersionSchema } from "../../core/config/versions.ts";
import { AgentMail } from "../../core/email/agent-mail.ts";
import type { World } from "../../core/engine/world.ts";
import { createWorkerList } from "../../core/erase/worker-list.ts";
import { createHookSchema } from "../../core/hooks/deliveries.ts";
import { AgentJobs } from "../../core/jobs/agent-jobs.ts";
import { createSchema } from "../../core/journal/schema.ts";
import { TelemetryExporter } from "../../core/telemetry/exporter.ts";
import type { AgentWiring } from "../agent-wiring.ts";
import { agentWorld, type DocumentsCell } from "../agent-world.ts";
import type { Env } from "../env.ts";
import { KeepAlive } from "../keep-alive.ts";
import { objectDatabase } from "../sqlite.ts";
import { telemetryPort } from "../telemetry-port.ts";

export interface AgentParts {
  readonly world: World;
  readonly documents: DocumentsCell;
  readonly delivery: Delivery;
  readonly telemetry: TelemetryExporter;
  readonly jobs: AgentJobs;
  readonly approvals: AgentApprovals;
  readonly mail: AgentMail;
  readonly keepAlive: KeepAlive;
}

interface Surroundings {
  readonly ctx: DurableObjectState;
  readonly env: Env;
  readonly wiring: AgentWiring;
}

/** Takes up what the object was at before it went away. */
export function startParts(surroundings: Surroundings): AgentParts {
  const parts = makeParts(surroundings);
  recoverRuns(parts.world);
  parts.approvals.resume();
  parts.mail.resume();
  parts.keepAlive.armForJobs();
  parts.delivery.kick().then(() => parts.keepAlive.armForRetry());
  tellTelemetry(parts);
  return parts;
}

function makeParts(surroundings: Surroundings): AgentParts {
  const { ctx, env, wiring } = surroundings;
  const documents: DocumentsCell = { current: null };
  const world = makeWorld(surroundings, documents, (othersWait) => outboxFilled(parts, othersWait));
  const made = {
    delivery: new Delivery(world, wiring.deliveryPace),
    telemetry: new TelemetryExporter(world, telemetryPort(env)),
    jobs: new AgentJobs(world, wiring.jobSeconds),
    approvals: new AgentApprovals(world),
    mail: new AgentMail(world),
  };
  const keepAlive = new KeepAlive(ctx.storage, world, {
    ...made,
    version: env.CF_VERSION_METADATA?.id ?? null,
    ...(wiring.holdMs === undefined ? {} : { holdMs: wiring.holdMs }),
  });
  const parts: AgentParts = { world, documents, keepAlive, ...made };
  return parts;
}

function makeWorld(
  { ctx, env, wiring }: Surroundings,
  documents: DocumentsCell,
  outboxFilled: World["outboxFilled"],
): World {
  const db = objectDatabase(ctx.storage);
  createSchema(db);
  createHookSchema(db);
  createVersionSchema(db);
  createWorkerList(db);
  const input = {
    objectName: ctx.id.name ?? "unnamed",
    env,
    db,
    registry: (plainVars: readonly string[]) => wiring.registry(env, plainVars),
    scrubber: (plainVars: readonly string[]) => wiring.scrubber(env, plainVars),
    transports: wiring.transports(env),
    mail: wiring.mail(env),
    livePace: wiring.livePace,
    outboxFilled,
  };
  const own = agentWorld(input, documents);
  const world = wiring.around?.(own, ctx) ?? own;
  world.gate.setPaused(isPaused(world));
  return world;
}

function outboxFilled(parts: AgentParts, othersWait = false): void {
  const { delivery, keepAlive, world } = parts;
  const waits = delivery.soon(othersWait, () => keepAlive.armForRetry());
  // A run has its alarm already.
  if (waits && world.active.size === 0) keepAlive.arm();
  if (parts.documents.current?.instance.telemetry !== undefined) tellTelemetry(parts);
}

function tellTelemetry({ telemetry, keepAlive }: AgentParts): void {
  telemetry.kick().then(() => keepAlive.armForRetry());
}
