/** Rows of an older instance's tables as rows of our record. */
import { recordedTarget } from "../ask/policy.ts";
import { scrubDocument } from "../engine/scrub-document.ts";
import type { Scrubber } from "../scrub/index.ts";
import { FIELDS, type ImportTable, plainName } from "./import-columns.ts";
import { type FieldReader, fieldReader, type ImportNote } from "./import-reader.ts";
import { type OldCell, readAmount } from "./import-values.ts";
import {
  AUDIT_OUTCOME_WORDS,
  CHANNEL_WORDS,
  DIRECTION_WORDS,
  MESSAGE_STATUS_WORDS,
  RUN_STATUS_WORDS,
  TRIGGER_WORDS,
} from "./import-words.ts";
import {
  type AuditRow,
  type MessageRow,
  NO_ROWS,
  pairKey,
  type ReceiptRow,
  type RecordRows,
} from "./rows.ts";
import { cutToUnits } from "./stored-text.ts";

export interface OldRow {
  /** Makes its Uid: the same for the same row of the same file. */
  readonly uid: string;
  /** In the order of the columns; null for a row that was too large to be sent. */
  readonly cells: readonly OldCell[] | null;
}

export type Refusal = "too_large" | "no_id" | "bad_id" | "no_agent" | "no_tool" | "no_content" | "bad_time";

export type ImportedRow =
  | {
      readonly ok: true;
      readonly id: string;
      readonly rows: RecordRows;
      readonly notes: readonly ImportNote[];
    }
  | { readonly ok: false; readonly code: Refusal; readonly field: string; readonly value: string | null };

type Lookup = (fields: readonly string[]) => OldCell;

/** A function from rows with these columns to rows of ours, everything in them scrubbed. */
export function rowImporter(
  table: ImportTable,
  columns: readonly string[],
  scrubber: Scrubber,
): (row: OldRow) => ImportedRow {
  const places = new Map(columns.map((column, index) => [plainName(column), index]));
  return ({ uid, cells }) => {
    if (cells === null) return { ok: false, code: "too_large", field: "", value: null };
    const lookup: Lookup = (names) => {
      const filled = names.find((name) => (cells[places.get(name) ?? -1] ?? null) !== null);
      return filled === undefined ? null : (cells[places.get(filled) ?? -1] ?? null);
    };
    return IMPORT[table](lookup, scrubber, uid);
  };
}

const IMPORT = { RunReceipts: importReceipt, AuditLog: importAudit, AgentMessages: importMessage };

function importReceipt(lookup: Lookup, scrubber: Scrubber): ImportedRow {
  const fields = FIELDS.RunReceipts;
  const read = fieldReader((field: keyof typeof fields) => lookup(fields[field]), scrubber.scrub);
  const runId = read.id("runId");
  const agentId = agentOf(read, "agentId", scrubber);
  const times = receiptTimes(read);
  if (runId === null) return refused(read, { code: "no_id", field: "runId" });
  if (agentId === null) return refused(read, { code: "no_agent", field: "agentId" });
  if (times === null) return refused(read, { code: "bad_time", field: "startedAt" });
  const error = read.text("error");
  const costMicros = costOf(read);
  const row: ReceiptRow = {
    ...lineageOf(read, runId),
    agentId,
    trigger: read.word("trigger", TRIGGER_WORDS, "run"),
    model: shortText(read.text("model")) ?? "unknown",
    status: read.word(
      "status",
      RUN_STATUS_WORDS,
      read.raw("status") !== null || error !== null ? "failed" : "completed",
    ),
    reason: read.text("reason"),
    steps: countOrZero(read, "steps"),
    toolCalls: countOrZero(read, "toolCalls"),
    inputTokens: read.count("inputTokens"),
    cachedInputTokens: read.count("cachedInputTokens"),
    outputTokens: read.count("outputTokens"),
    reasoningTokens: read.count("reasoningTokens"),
    costMicros,
    priceSource: shortText(read.text("priceSource")) ?? (costMicros === null ? null : "imported"),
    queuedMs: read.duration("queuedMs") ?? 0,
    ...times,
    resumes: read.count("resumes") ?? 0,
    error,
  };
  return imported(read, row.runId, { ...NO_ROWS, receipts: [row] });
}

function importAudit(lookup: Lookup, scrubber: Scrubber, uid: string): ImportedRow {
  const fields = FIELDS.AuditLog;
  const read = fieldReader((field: keyof typeof fields) => lookup(fields[field]), scrubber.scrub);
  const agentId = agentOf(read, "agentId", scrubber);
  const tool = shortText(read.text("tool"));
  const occurredAt = read.time("occurredAt");
  const lineage = lineageOf(read, uid);
  if (agentId === null) return refused(read, { code: "no_agent", field: "agentId" });
  if (tool === null) return refused(read, { code: "no_tool", field: "tool" });
  if (occurredAt === null) return refused(read, { code: "bad_time", field: "occurredAt" });
  const error = read.text("error");
  const row: AuditRow = {
    uid,
    ...lineage,
    agentId,
    tool,
    arguments: scrubDocument(scrubber, String(read.raw("arguments") ?? "")),
    outcome: read.word(
      "outcome",
      AUDIT_OUTCOME_WORDS,
      read.raw("outcome") !== null || error !== null ? "failed" : "ok",
    ),
    error,
    durationMs: durationOf(read),
    occurredAt,
  };
  return imported(read, uid, { ...NO_ROWS, audit: [row] });
}

function importMessage(lookup: Lookup, scrubber: Scrubber, uid: string): ImportedRow {
  const fields = FIELDS.AgentMessages;
  const read = fieldReader((field: keyof typeof fields) => lookup(fields[field]), scrubber.scrub);
  const fromAgentId = agentOf(read, "fromAgentId", scrubber);
  const toAgentId = agentOf(read, "toAgentId", scrubber);
  const content = read.raw("content");
  const occurredAt = read.time("occurredAt");
  const lineage = lineageOf(read, uid);
  const taskId = read.id("taskId");
  if (fromAgentId === null) return refused(read, { code: "no_agent", field: "fromAgentId" });
  if (toAgentId === null) return refused(read, { code: "no_agent", field: "toAgentId" });
  if (content === null) return refused(read, { code: "no_content", field: "content" });
  if (occurredAt === null) return refused(read, { code: "bad_time", field: "occurredAt" });
  const row: MessageRow = {
    uid,
    pairKey: pairKey(fromAgentId, toAgentId),
    fromAgentId,
    toAgentId,
    channel: read.word("channel", CHANNEL_WORDS, "ask"),
    direction: read.word("direction", DIRECTION_WORDS, "request"),
    content: scrubber.scrub(String(content)),
    ...lineage,
    taskId,
    status: read.word("status", MESSAGE_STATUS_WORDS, read.raw("status") === null ? "delivered" : "failed"),
    occurredAt,
  };
  return imported(read, uid, { ...NO_ROWS, messages: [row] });
}

/** Ids are judged last: whatever was read may have been one that cannot be kept. */
function imported(
  read: { readonly notes: readonly ImportNote[]; readonly badId: () => string | null },
  id: string,
  rows: RecordRows,
): ImportedRow {
  const badId = read.badId();
  return badId === null
    ? { ok: true, id, rows, notes: read.notes }
    : { ok: false, code: "bad_id", field: badId, value: null };
}

function refused<Field extends string>(
  read: FieldReader<Field>,
  { code, field }: { readonly code: Refusal; readonly field: Field },
): ImportedRow {
  return { ok: false, code, field, value: read.shown(field) };
}

type LineageField = "runId" | "parentRunId" | "rootRunId";

/**
 * A row without a root is one of its own: RootRunId = RunId, no parent. Where even the run is missing, the
 * row's own id stands for it, as with a person's act.
 */
function lineageOf(read: FieldReader<LineageField>, ownId: string) {
  const given = read.id("runId");
  if (given === null)
    read.note({ field: "runId", code: "missing", value: null, instead: "an id of its own" });
  const runId = given ?? ownId;
  const rootRunId = read.id("rootRunId");
  const parentRunId = read.id("parentRunId");
  if (rootRunId !== null) return { runId, parentRunId, rootRunId };
  if (parentRunId !== null)
    read.note({
      field: "parentRunId",
      code: "no_root",
      value: read.shown("parentRunId"),
      instead: "no parent",
    });
  return { runId, parentRunId: null, rootRunId: runId };
}

function agentOf<Field extends string>(
  read: FieldReader<Field>,
  field: Field,
  { scrub }: Scrubber,
): string | null {
  const name = String(read.raw(field) ?? "").trim();
  return name === "" ? null : recordedTarget(name, scrub);
}

type ReceiptRead = FieldReader<keyof typeof FIELDS.RunReceipts>;

/** One time and a duration are enough; a run with one time alone took none that is known of. */
function receiptTimes(read: ReceiptRead): Pick<ReceiptRow, "startedAt" | "finishedAt" | "durationMs"> | null {
  const [start, end] = [read.time("startedAt"), read.time("finishedAt")];
  const duration = durationOf(read);
  const startedAt = start ?? (end === null ? null : shifted(end, -(duration ?? 0)));
  if (startedAt === null) return null;
  const finishedAt = end ?? shifted(startedAt, duration ?? 0);
  if (end === null && duration === null)
    read.note({ field: "finishedAt", code: "missing", value: null, instead: "its start" });
  const between = Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
  return { startedAt, finishedAt, durationMs: duration ?? between };
}

/** Durations are bounded, so that the time stays one. */
const LONGEST_MS = 366 * 86_400_000;

function shifted(time: string, ms: number): string {
  return new Date(Date.parse(time) + Math.max(-LONGEST_MS, Math.min(ms, LONGEST_MS))).toISOString();
}

function durationOf(read: FieldReader<"durationMs" | "durationSeconds">): number | null {
  if (read.raw("durationMs") !== null) return read.duration("durationMs");
  const seconds = read.raw("durationSeconds");
  return seconds === null ? null : readAmount(seconds, 1_000);
}

const COSTS = [
  ["costMicros", 1],
  ["costUsd", 1_000_000],
  ["costCents", 10_000],
] as const;

function costOf(read: ReceiptRead): number | null {
  const given = COSTS.find(([field]) => read.raw(field) !== null);
  if (given === undefined) return null;
  const [field, unit] = given;
  const micros = readAmount(read.raw(field), unit);
  if (micros === null) read.note({ field, code: "unreadable", value: read.shown(field), instead: null });
  return micros;
}

function countOrZero(read: ReceiptRead, field: "steps" | "toolCalls"): number {
  const count = read.count(field);
  if (count === null) read.note({ field, code: "missing", value: null, instead: "0" });
  return count ?? 0;
}

const NAME_CHARS = 200;

function shortText(text: string | null): string | null {
  return text === null ? null : cutToUnits(text, NAME_CHARS);
}
