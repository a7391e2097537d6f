/** Ends a run: one receipt, one place in the conversation, in one transaction (L2). */

import { putOutbox } from "../journal/outbox.ts";
import { markEnded, nextTurn } from "../journal/runs.ts";
import type { NoticeRow, ReceiptRow } from "../record/rows.ts";
import { putUntold } from "../telemetry/queue.ts";
import { type ActiveRun, emit } from "./active-run.ts";
import { announceRun } from "./announce.ts";
import { markChained } from "./chain-books.ts";
import { addTurn, measured } from "./conversation.ts";
import { buildReceipt, type Ending } from "./receipt.ts";
import { answeredTurn, closingNote } from "./transcript.ts";
import { agentIdOf, resultChars, type World } from "./world.ts";

export interface EndInput extends Ending {
  /** What a person must be told because of it. */
  readonly notice: NoticeRow | null;
}

export function endRun(world: World, run: ActiveRun, input: EndInput): void {
  const { record } = run;
  const documents = world.documents();
  const receipt = buildReceipt(run, input, {
    agentId: agentIdOf(world),
    model: documents?.agent.model.name ?? "unknown",
    now: world.now(),
  });
  const turn = world.db.transaction(() => {
    if (mayBeLate(run, input)) markChained(world.db, run);
    const place = leavesTurn(run, input) ? nextTurn(world.db, run.conversation) : null;
    const end = { runId: record.runId, reply: input.reply, receipt: JSON.stringify(receipt), turn: place };
    markEnded(world.db, end);
    putOutbox(world.db, { kind: "receipts", row: receipt }, receipt.runId);
    if (documents?.instance.telemetry !== undefined) putUntold(world.db, record.runId, world.now());
    if (input.notice !== null) putOutbox(world.db, { kind: "notices", row: input.notice }, input.notice.uid);
    return place;
  });
  if (turn !== null) rememberTurn(world, run, { ...input, turn });
  world.active.delete(record.runId);
  world.gate.leave(record.runId);
  world.day.ended({
    runId: record.runId,
    costMicros: receipt.costMicros ?? 0,
    finishedAt: receipt.finishedAt,
  });
  emit(run, { type: "done", reply: input.reply, receipt });
  run.end({ status: input.status, reply: input.reply, receipt, chained: run.chained });
  world.outboxFilled(run.chained || record.taskId !== null);
  announceRun(world, run, receipt);
  logEnd(world, receipt);
}

/** Its asker may not hear any more what it has cost: then the chain's object will. */
function mayBeLate({ record }: ActiveRun, { status }: Ending): boolean {
  return record.asker !== undefined && (status === "timeout" || status === "cancelled");
}

/** One line per run. A question that takes too long is its asker's business, like what a person cancelled. */
function logEnd(world: World, receipt: ReceiptRow): void {
  const { runId, trigger, status, reason, steps, toolCalls, durationMs, error } = receipt;
  const log = world.runLog(runId);
  const what = reason === null ? status : `${status} (${reason})`;
  const text = `Ended ${what}: ${steps} model calls, ${toolCalls} tool calls, ${durationMs} ms`;
  const late = status === "timeout" && trigger === "ask";
  if (status === "completed" || status === "cancelled" || late) log.info(text);
  else log.warn(error === null ? text : `${text}: ${error}`);
}

/** A question that was not answered leaves nothing; every other started run of the conversation leaves its turn. */
function leavesTurn(run: ActiveRun, ending: Ending): boolean {
  if (run.record.lane === "isolated") return false;
  return run.record.lane === "answer" ? ending.status === "completed" : run.startedAt !== null;
}

function rememberTurn(world: World, run: ActiveRun, closed: Ending & { readonly turn: number }): void {
  const conversation = world.conversation();
  if (conversation.id !== run.conversation) return;
  const cap = resultChars(world);
  const messages =
    run.record.lane === "answer"
      ? answeredTurn(run.record.input, closed.reply, cap)
      : [...run.messages, ...closingNote(closed)];
  if (conversation.turns.at(-1)?.turn !== closed.turn) addTurn(conversation, measured(closed.turn, messages));
}
