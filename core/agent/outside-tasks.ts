/** An agent's runs as the tasks of clients that know Parley only from outside (A2A). */
import { capText } from "../engine/caps.ts";
import { resultChars, type World } from "../engine/world.ts";
import { type ContextPage, contextOf, contextRuns, dropContext, putContext } from "../journal/contexts.ts";
import { ownJson } from "../journal/database.ts";
import { endedRun, findRun } from "../journal/runs.ts";
import type { ReceiptRow, RunStatus } from "../record/rows.ts";

export interface OutsideTask {
  readonly runId: string;
  readonly contextId: string;
  readonly state: "queued" | "started" | "ended";
  /** What the agent was told. */
  readonly input: string;
  readonly reply: string;
  /** ISO 8601: when it was accepted, and after that when it has ended. */
  readonly at: string;
  /** Null until it has ended. */
  readonly ending: {
    readonly status: RunStatus;
    readonly reason: string | null;
    readonly error: string | null;
  } | null;
}

/** One exchange of a context, as it was, cut to what flows into a context. */
export interface Exchange {
  readonly input: string;
  /** Null while the run has not ended. */
  readonly reply: string | null;
}

const EARLIER_RUNS = 20;

/**
 * Takes a run that is about to come into its context. Answers the earlier exchanges there, oldest first; null for an
 * id that looks like a credential, which must not be written down.
 */
export function joinContext(world: World, contextId: string, runId: string): Exchange[] | null {
  if (world.scrubber.scrub(contextId) !== contextId) return null;
  const earlier = contextRuns(world.db, { contextId, before: null, limit: EARLIER_RUNS });
  world.db.transaction(() => putContext(world.db, contextId, runId));
  const chars = resultChars(world);
  return earlier
    .filter((run) => run.runId !== runId)
    .reverse()
    .flatMap((run) => {
      const record = findRun(world.db, run.runId);
      if (record === null) return [];
      const reply = endedRun(world.db, run.runId)?.reply ?? null;
      return [{ input: record.input, reply: reply === null ? null : capText(reply, chars) }];
    });
}

/** For a run that was refused after it had joined. */
export function leaveContext(world: World, runId: string): void {
  if (findRun(world.db, runId) === null) world.db.transaction(() => dropContext(world.db, runId));
}

/** Null for a run that is not known here. A run that came in through another door is a context of its own. */
export function outsideTask(world: World, runId: string): OutsideTask | null {
  const record = findRun(world.db, runId);
  if (record === null) return null;
  const ended = endedRun(world.db, runId);
  const receipt = ended === null ? null : ownJson<ReceiptRow>(ended.receipt);
  return {
    runId,
    contextId: contextOf(world.db, runId) ?? runId,
    state: record.state,
    input: record.input,
    reply: ended?.reply ?? "",
    at: receipt?.finishedAt ?? new Date(record.acceptedAt).toISOString(),
    ending:
      receipt === null ? null : { status: receipt.status, reason: receipt.reason, error: receipt.error },
  };
}

/** Characters of each text in a list. */
const LISTED_CHARS = 20_000;

/** Newest first, with long texts cut; `next` is where the following page begins, null at the end. */
export function outsideTasks(world: World, page: ContextPage): { tasks: OutsideTask[]; next: number | null } {
  const runs = contextRuns(world.db, page);
  const tasks = runs.flatMap(({ runId }) => {
    const task = outsideTask(world, runId);
    if (task === null) return [];
    return [{ ...task, input: capText(task.input, LISTED_CHARS), reply: capText(task.reply, LISTED_CHARS) }];
  });
  const last = runs.at(-1);
  return { tasks, next: runs.length < page.limit || last === undefined ? null : last.seq };
}
