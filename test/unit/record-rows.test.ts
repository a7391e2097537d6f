import { getTableColumns, getTableName } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANALYSIS_TABLES } from "../../core/analysis/schema.ts";
import { archiveIndex, archiveParts } from "../../core/archive/schema.ts";
import { taskEvents, tasks, taskWakes } from "../../core/board/schema.ts";
import { mirror, mirrorQueue } from "../../core/mirror/schema.ts";
import { chainDepth, totalsOf } from "../../core/record/chain-of.ts";
import { TEXT_COLUMNS } from "../../core/record/columns.ts";
import { NO_ROWS, pairKey } from "../../core/record/rows.ts";
import {
  adminLog,
  agentMessages,
  approvals,
  auditLog,
  jobTicks,
  logs,
  notices,
  runReceipts,
} from "../../core/record/schema.ts";
import { joinRows, rowBytes, splitRecord } from "../../core/record/split-record.ts";
import { approvalRow, auditRow, messageRow, noticeRow, receiptRow, tickRow } from "../support/record-rows.ts";

describe("the tables", () => {
  const record = [agentMessages, auditLog, runReceipts, notices, jobTicks, approvals, logs];
  const others = [adminLog, archiveParts, archiveIndex, mirror, mirrorQueue, ...ANALYSIS_TABLES];
  const tables = [...record, tasks, taskEvents, taskWakes, ...others];
  const columns = (table: (typeof tables)[number]) => Object.entries(getTableColumns(table));

  it.each(tables.map((table) => [getTableName(table), table] as const))(
    "%s names its columns as the API does, in PascalCase",
    (_, table) => {
      for (const [key, column] of columns(table))
        expect(column.name).toBe(key.charAt(0).toUpperCase() + key.slice(1));
    },
  );

  it("L5: every column that can hold text is named for the check of what is stored", () => {
    expect(Object.keys(TEXT_COLUMNS)).toEqual(tables.map(getTableName));
    expect(TEXT_COLUMNS.AgentMessages).toEqual(
      columns(agentMessages)
        .map(([, column]) => column.name)
        .filter((name) => name !== "Id"),
    );
    expect(TEXT_COLUMNS.AuditLog).toContain("Arguments");
    expect(TEXT_COLUMNS.RunReceipts).toContain("Error");
    expect(TEXT_COLUMNS.Notices).toContain("Text");
  });
});

describe("a pair", () => {
  it("has one key, whoever speaks", () => {
    expect(pairKey("writer", "analyst")).toBe("analyst|writer");
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => pairKey(a, b) === pairKey(b, a)));
  });
});

describe("splitting rows into batches", () => {
  const rows = fc.record({
    messages: fc
      .array(fc.string({ maxLength: 300 }))
      .map((texts) => texts.map((content, n) => messageRow(`m${n}`, { content }))),
    audit: fc.nat(5).map((n) => Array.from({ length: n }, (_, i) => auditRow(`a${i}`))),
    receipts: fc.nat(5).map((n) => Array.from({ length: n }, (_, i) => receiptRow(`r${i}`))),
    notices: fc.nat(5).map((n) => Array.from({ length: n }, (_, i) => noticeRow(`n${i}`))),
    approvals: fc.nat(5).map((n) => Array.from({ length: n }, (_, i) => approvalRow(`p${i}`))),
    ticks: fc.nat(5).map((n) => Array.from({ length: n }, (_, i) => tickRow(`t${i}`))),
  });

  it("L3: loses nothing, keeps the order and both bounds", () => {
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 2_000 }),
        (all, maxRows, maxBytes) => {
          const batches = splitRecord(all, maxRows, maxBytes);
          expect(joinRows(batches)).toEqual(all);
          for (const batch of batches) {
            const { messages, audit, notices, ticks, approvals, receipts } = batch;
            const inBatch = [...messages, ...audit, ...notices, ...ticks, ...approvals, ...receipts];
            const bytes = inBatch.reduce((sum, row) => sum + rowBytes(row), 0);
            expect(inBatch.length).toBeGreaterThan(0);
            expect(inBatch.length).toBeLessThanOrEqual(maxRows);
            if (inBatch.length > 1) expect(bytes).toBeLessThanOrEqual(maxBytes);
          }
        },
      ),
    );
  });

  it("delivers a receipt after everything else", () => {
    const all = {
      messages: [messageRow("m")],
      audit: [auditRow("a")],
      receipts: [receiptRow("r")],
      notices: [noticeRow("n")],
      ticks: [tickRow("t")],
      approvals: [approvalRow("p")],
    };
    expect(splitRecord(all, 1, 1_000_000).at(-1)?.receipts).toHaveLength(1);
  });

  it("makes no batch of nothing", () => {
    expect(splitRecord(NO_ROWS, 10, 10)).toEqual([]);
  });
});

describe("a chain's figures", () => {
  const run = (runId: string, parentRunId: string | null) =>
    receiptRow(runId, { parentRunId, rootRunId: "r" });

  it("count depth along parents, a root is 1", () => {
    expect(chainDepth([])).toBe(0);
    expect(chainDepth([run("r", null)])).toBe(1);
    expect(chainDepth([run("c", "b"), run("b", "r"), run("r", null), run("d", "r")])).toBe(3);
  });

  it("count a parent that has no receipt yet", () => {
    expect(chainDepth([run("b", "r")])).toBe(2);
  });

  it("end on rows that name each other as parents", () => {
    expect(chainDepth([run("a", "b"), run("b", "a")])).toBeGreaterThan(0);
  });

  it("add known costs only and say how many are unknown", () => {
    const totals = totalsOf([
      receiptRow("r", { costMicros: 250_000 }),
      receiptRow("s", { costMicros: null }),
    ]);
    expect(totals).toMatchObject({ costUsd: 0.25, unpricedRuns: 1, runs: 2 });
    expect(totalsOf([receiptRow("s", { costMicros: null })]).costUsd).toBeNull();
    expect(totalsOf([receiptRow("s", { costMicros: 0 })]).costUsd).toBe(0);
  });
});
