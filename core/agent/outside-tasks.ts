/** An agent's runs as the tasks of clients that know Parley only from outside (A2A). */
import { capText } from "../engine/caps.ts";
import { resultChars, type World } from "../engine/world.ts";
import { type ContextPage, contextOf, contextRuns, type OutsideContext } from "../journal/contexts.ts";
import { ownJson } from "../journal/database.ts";
import { endedRun, findRun } from "../journal/runs.ts";
import type { ReceiptRow, RunStatus } from "../record/rows.ts";
import { type Exchange, questionInContext } from "./earlier-exchanges.ts";

export interface OutsideTask {
  readonly runId: string;
  readonly contextId: string;
  readonly state: "queued" | "started" | "ended";
  /** What the client said. */
  readonly question: string;
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

const EARLIER_RUNS = 20;
/** One long text must not push out all others. */
const SHARES = 4;

export interface Earlier {
  /** Oldest first; all together about `chars` at most. */
  readonly exchanges: readonly Exchange[];
  /** Characters of a message that the agent's model gets to see. */
  readonly chars: number;
}

/** What was said in a context; null for an id that looks like a credential, which must not be written down. */
export function earlierInContext(world: World, context: OutsideContext): Earlier | null {
  if (world.scrubber.scrub(context.contextId) !== context.contextId) return null;
  const chars = resultChars(world);
  const exchanges: Exchange[] = [];
  let left = chars;
  // One by one and no more than can be shown: together, long texts would not fit into memory.
  for (const { runId } of contextRuns(world.db, { ...context, before: null, limit: EARLIER_RUNS })) {
    if (left <= 0) break;
    const exchange = exchangeOf(world, runId, Math.floor(chars / SHARES));
    if (exchange === null) continue;
    exchanges.push(exchange);
    left -= exchange.question.length + (exchange.reply?.length ?? 0);
  }
  return { exchanges: exchanges.reverse(), chars };
}

function exchangeOf(world: World, runId: string, chars: number): Exchange | null {
  const record = findRun(world.db, runId);
  if (record === null) return null;
  const reply = endedRun(world.db, runId)?.reply ?? null;
  return {
    question: capText(questionInContext(record.input), chars),
    reply: reply === null ? null : capText(reply, chars),
  };
}

/** Null for a run that is not known here, or that somebody else or another door has begun. */
export function outsideTask(world: World, owner: string, runId: string): OutsideTask | null {
  const contextId = contextOf(world.db, owner, runId);
  return contextId === null ? null : taskOf(world, { contextId, runId });
}

function taskOf(
  world: World,
  { contextId, runId }: Pick<OutsideTask, "contextId" | "runId">,
): OutsideTask | null {
  const record = findRun(world.db, runId);
  if (record === null) return null;
  const ended = endedRun(world.db, runId);
  const receipt = ended === null ? null : ownJson<ReceiptRow>(ended.receipt);
  return {
    runId,
    contextId,
    state: record.state,
    question: questionInContext(record.input),
    reply: ended?.reply ?? "",
    at: receipt?.finishedAt ?? new Date(record.acceptedAt).toISOString(),
    ending:
      receipt === null ? null : { status: receipt.status, reason: receipt.reason, error: receipt.error },
  };
}

/** Characters of each text in a list. */
const LISTED_CHARS = 20_000;

/** The owner's, newest first, with long texts cut; `next` is where the following page begins, null at the end. */
export function outsideTasks(world: World, page: ContextPage): { tasks: OutsideTask[]; next: number | null } {
  const runs = contextRuns(world.db, page);
  const tasks = runs.flatMap((run) => {
    const task = taskOf(world, run);
    if (task === null) return [];
    const { question, reply } = task;
    return [{ ...task, question: capText(question, LISTED_CHARS), reply: capText(reply, LISTED_CHARS) }];
  });
  const last = runs.at(-1);
  return { tasks, next: runs.length < page.limit || last === undefined ? null : last.seq };
}
