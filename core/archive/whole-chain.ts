/** Chains and runs as the record holds them, in D1 and in the archive together. */
import type { TaskRow } from "../board/task.ts";
import { type ChainView, chainOf, MAX_MESSAGES } from "../record/chain-of.ts";
import { listedMessage, type MessageView } from "../record/message-view.ts";
import { auditOf, childrenOf, getReceipt } from "../record/read-run.ts";
import { type AuditView, type ReceiptView, receiptView } from "../record/run-view.ts";
import { AUDIT, RECEIPTS } from "../retention/kept-tables.ts";
import { notInD1, withArchived } from "./archived-totals.ts";
import { type Archive, archivedChain, archivedMessage, archivedReceipt } from "./read-archive.ts";

export interface WholeChain extends ChainView {
  readonly tasks: readonly TaskRow[];
  /** Whether some of it came from the archive. */
  readonly archived: boolean;
  /** False when the chain may have more in the archive than is shown, or the archive could not be read. */
  readonly whole: boolean;
}

/**
 * What D1 has of the chain, and what the archive has besides. D1 is read first: what is archived in between is
 * found twice rather than not at all. Rejects when D1 does.
 */
export async function wholeChain(archive: Archive, rootRunId: string): Promise<WholeChain> {
  const kept = await chainOf(archive.reader, rootRunId);
  const old = await archivedChain(archive, rootRunId).catch(() => "unread" as const);
  if (old === null || old === "unread") return { ...kept, tasks: [], archived: false, whole: old === null };
  const runs = inOrder(
    union(kept.runs, old.receipts.map(receiptView), (run) => run.runId),
    (run) => run.startedAt,
  );
  const messages = union(kept.messages, old.messages.map(listedMessage), (message) => message.uid);
  const inD1 = new Set(kept.runs.map((run) => run.runId));
  const added = runs.filter((run) => !inD1.has(run.runId));
  return {
    runs,
    messages: inOrder(messages, (message) => message.occurredAt).slice(0, MAX_MESSAGES),
    messageCount: kept.messageCount + messages.length - kept.messages.length,
    totals: withArchived(kept, await notInD1(archive.reader, kept, added)),
    tasks: old.tasks,
    archived: true,
    whole: old.whole,
  };
}

const RUN_TABLES = [AUDIT.name, RECEIPTS.name];

export interface WholeRun {
  readonly receipt: ReceiptView;
  readonly audit: readonly AuditView[];
  readonly children: readonly ReceiptView[];
  readonly archived: boolean;
  /** False when it may have more in the archive than is shown, or the archive could not be read. */
  readonly whole: boolean;
}

/** A run that has ended; null when nobody knows it. Rejects when D1 does, or when its receipt is in an archive that cannot be read. */
export async function wholeRun(archive: Archive, runId: string): Promise<WholeRun | null> {
  const { reader } = archive;
  const kept = await getReceipt(reader, runId);
  const found = kept === null ? await archivedReceipt(archive, runId) : null;
  const receipt = found === null ? kept : receiptView(found);
  if (receipt === null) return null;
  const [audit, children] = [await auditOf(reader, runId), await childrenOf(reader, runId)];
  const old = await archivedChain(archive, receipt.rootRunId, RUN_TABLES).catch(() => "unread" as const);
  if (old === null || old === "unread")
    return { receipt, audit, children, archived: found !== null, whole: old === null };
  const oldAudit = old.audit.filter((entry) => entry.runId === runId);
  const oldChildren = old.receipts.filter((each) => each.parentRunId === runId).map(receiptView);
  return {
    receipt,
    audit: union(audit, oldAudit, (entry) => entry.uid).sort((a, b) => a.id - b.id),
    children: inOrder(
      union(children, oldChildren, (child) => child.runId),
      (child) => child.startedAt,
    ),
    archived: found !== null || oldAudit.length > 0,
    whole: old.whole,
  };
}

/** An archived message with its whole text, or null. Rejects when D1 or R2 does. */
export async function wholeArchivedMessage(archive: Archive, idOrUid: string): Promise<MessageView | null> {
  const row = await archivedMessage(archive, idOrUid);
  if (row === null) return null;
  const { contentRef, ...message } = row;
  const text = contentRef === null ? null : await archive.texts.get(contentRef);
  const content = text === null ? message.content : await text.text();
  return { ...message, content, truncated: contentRef !== null && text === null };
}

/** A row that was written again after it was archived lies there twice. */
function union<Row>(kept: readonly Row[], old: readonly Row[], name: (row: Row) => string): Row[] {
  const known = new Set(kept.map(name));
  const more = old.filter((row) => {
    const isNew = !known.has(name(row));
    known.add(name(row));
    return isNew;
  });
  return [...kept, ...more];
}

function inOrder<Row>(rows: readonly Row[], time: (row: Row) => string): Row[] {
  return rows.toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0));
}
