/** An agent at work: its world plus what its object keeps in memory. */

import { forgetApprovals, openApprovalsOf } from "../approval/store.ts";
import { type ActiveRun, activeRun } from "../engine/active-run.ts";
import { announceEnd, announceRun } from "../engine/announce.ts";
import { cancelRun, driveRun } from "../engine/run-loop.ts";
import type { RunResult } from "../engine/run-result.ts";
import type { AcceptResult, Documents, ExpireResult, World } from "../engine/world.ts";
import { type OutsideContext, putContext } from "../journal/contexts.ts";
import { ownJson } from "../journal/database.ts";
import { forgetRuns } from "../journal/forget.ts";
import {
  type CancelRequest,
  endedRun,
  findRun,
  insertRun,
  type NewRun,
  openRuns,
  requestCancel,
  troubleOf,
  unsettledRuns,
} from "../journal/runs.ts";
import { getSetting, setSetting } from "../journal/settings.ts";
import type { ReceiptRow } from "../record/rows.ts";

/** As many as are settled in one batch. */
const MAX_ENDS_TOLD = 100;

/** Takes up every run that was not over when the process ended. Started ones go first: they hold the gate's turn. */
export function recoverRuns(world: World): void {
  const open = openRuns(world.db);
  const started = open.filter((record) => record.startedAt !== null);
  const queued = open.filter((record) => record.startedAt === null);
  for (const record of [...started, ...queued]) launch(world, activeRun(record));
  // Ends that are not settled yet: the object may have died before the live feed was told.
  for (const { record, receipt } of unsettledRuns(world.db, MAX_ENDS_TOLD))
    announceEnd(world, record.lineage, ownJson<ReceiptRow>(receipt));
}

/**
 * Accepts a run durably and launches it. Accepting the same run twice changes nothing. `along` writes what
 * belongs into the same transaction; where it throws, nothing is accepted.
 */
export function acceptRun(world: World, run: NewRun, along?: () => void): AcceptResult {
  if (world.active.has(run.runId) || findRun(world.db, run.runId) !== null) return { ok: true };
  const documents = world.documents();
  if (documents === null) return refused("not_configured", "this agent has no configuration");
  if (run.lane === "answer" && isPaused(world))
    return refused("paused", "this colleague is paused by a person");
  if (queueLength(world) >= documents.agent.limits.queue || queuedChars(world) > MAX_QUEUED_CHARS)
    return refused("queue_full", "the agent's queue is full");
  const input = world.scrubber.scrub(run.input);
  const conversation = currentConversation(world);
  const record = world.db.transaction(() => {
    const inserted = insertRun(world.db, { ...run, input }, { now: world.now(), conversation });
    if (run.context !== undefined) joinContext(world, run.context, run.runId);
    along?.();
    return inserted;
  });
  const accepted = activeRun(record);
  launch(world, accepted);
  if (accepted.startedAt === null) announceRun(world, accepted, null);
  return { ok: true };
}

function joinContext(world: World, context: OutsideContext, runId: string): void {
  putContext(world.db, { ...context, contextId: world.scrubber.scrub(context.contextId) }, runId);
}

function launch(world: World, run: ActiveRun): void {
  world.active.set(run.record.runId, run);
  driveRun(world, run);
}

function refused(code: Extract<AcceptResult, { ok: false }>["code"], reason: string): AcceptResult {
  return { ok: false, code, reason };
}

/** The run's result once it is over; null for a run that was never accepted. */
export async function awaitRun(world: World, runId: string): Promise<RunResult | null> {
  return (await world.active.get(runId)?.ended) ?? endedResult(world, runId);
}

/** The same, unless that takes longer than so many milliseconds. */
export async function resultWithin(world: World, runId: string, ms: number): Promise<RunResult | null> {
  const waiting = new AbortController();
  const result = await Promise.race([
    awaitRun(world, runId),
    world.sleep(ms, waiting.signal).then(() => null),
  ]);
  waiting.abort();
  return result;
}

export type RunState =
  | "unknown"
  | "open"
  | { readonly status: string; readonly reason: string | null; readonly reply: string };

/** How a run stands, for those who look after its task. */
export function runState(world: World, runId: string): RunState {
  if (world.active.has(runId) || goesOn(world, runId)) return "open";
  const ended = endedResult(world, runId);
  if (ended === null) return "unknown";
  return { status: ended.status, reason: ended.receipt.reason, reply: ended.reply };
}

/** Whether work on the run's task goes on after it: in a later run, or once a person has allowed a call. */
function goesOn(world: World, runId: string): boolean {
  const taskId = findRun(world.db, runId)?.taskId ?? null;
  if (taskId === null) return false;
  const working = [...world.active.values()].some((run) => run.record.taskId === taskId);
  return working || openApprovalsOf(world.db, taskId) > 0;
}

export function endedResult(world: World, runId: string): RunResult | null {
  const ended = endedRun(world.db, runId);
  if (ended === null) return null;
  const receipt = ownJson<ReceiptRow>(ended.receipt);
  return { status: receipt.status, reply: ended.reply, receipt, chained: ended.chained };
}

/** Wishes a run ended; the wish outlives a restart. False for a run that is over or unknown. */
export function cancelById(world: World, runId: string, request: CancelRequest): boolean {
  const run = world.active.get(runId);
  if (run === undefined) return false;
  requestCancel(world.db, runId, request);
  cancelRun(world, run, request);
  return true;
}

export function expireRun(world: World, runId: string, request: CancelRequest): ExpireResult {
  const result = endedResult(world, runId);
  const trouble = troubleOf(world.db, runId);
  const accepted = cancelById(world, runId, request) || result !== null;
  return { accepted, trouble, result };
}

export function queueLength(world: World): number {
  let queued = 0;
  for (const run of world.active.values()) if (run.startedAt === null) queued += 1;
  return queued;
}

/** Characters of messages that may wait in an object's memory together; one more of any length fits on top. */
const MAX_QUEUED_CHARS = 8_000_000;

function queuedChars(world: World): number {
  let chars = 0;
  for (const run of world.active.values()) if (run.startedAt === null) chars += run.record.input.length;
  return chars;
}

/** Whether some run can go on by itself: not so while all of them wait for a person to end the pause. */
export function isAtWork(world: World): boolean {
  if (!world.gate.isPaused) return world.active.size > 0;
  return [...world.active.values()].some((run) => run.startedAt !== null || run.record.deadlineAt !== null);
}

export function agentState(world: World): "idle" | "running" | "suspended" {
  if (world.gate.holder !== null) return "running";
  return world.gate.openMain === null ? "idle" : "suspended";
}

const DAY_MS = 86_400_000;
/** Ended runs stay readable here that long; after that the record has them. */
const KEEP_MS = 30 * DAY_MS;
const FORGET_RUNS = 50;
const FORGET_APPROVALS = 500;
const NEXT_BATCH_MS = 1_000;

/** Drops a batch of old runs that are no part of the conversation; answers when to come back, null when there is nothing to wait for. */
export function forgetOldRuns(world: World): number | null {
  const now = world.now();
  world.db.transaction(() => forgetApprovals(world.db, now - KEEP_MS, FORGET_APPROVALS));
  const { more, oldest } = forgetRuns(world.db, {
    before: now - KEEP_MS,
    conversation: currentConversation(world),
    limit: FORGET_RUNS,
  });
  if (more) return now + NEXT_BATCH_MS;
  return oldest === null ? null : Math.max(now + DAY_MS, oldest + KEEP_MS);
}

const PAUSED = "paused";
const DOCUMENTS = "documents";
const CONVERSATION = "conversation";

export function isPaused(world: World): boolean {
  return getSetting<boolean>(world.db, PAUSED) ?? false;
}

/** Queued work waits while paused; a run under way goes on. */
export function setPaused(world: World, paused: boolean): void {
  world.db.transaction(() => setSetting(world.db, PAUSED, paused));
  world.gate.setPaused(paused);
}

export function storedDocuments(world: Pick<World, "db">): Documents | null {
  return getSetting<Documents>(world.db, DOCUMENTS);
}

/** Puts new documents in force from the next step on. */
export function storeDocuments(world: World, documents: Documents | null): void {
  world.db.transaction(() => setSetting(world.db, DOCUMENTS, documents));
}

export function currentConversation(world: Pick<World, "db">): number {
  return getSetting<number>(world.db, CONVERSATION) ?? 1;
}

/** Starts a new conversation; the old one stays in the record. */
export function startConversation(world: World): void {
  const next = currentConversation(world) + 1;
  world.db.transaction(() => setSetting(world.db, CONVERSATION, next));
}
