import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogLine } from "../../../ui/src/api/types.ts";
import { auditFilters, logFilters, modulesOf } from "../../../ui/src/log/filters.ts";
import { mergeLines, tailFrom } from "../../../ui/src/log/tail.ts";

const line = (id: number): LogLine => ({
  id,
  module: "Core",
  level: "info",
  agentId: null,
  runId: null,
  text: `line ${id}`,
  occurredAt: new Date(id * 1_000).toISOString(),
});

describe("the live tail", () => {
  it("asks a little further back than the newest line: others are written late", () => {
    expect(tailFrom([line(100), line(99)], 200_000)).toBe(new Date(85_000).toISOString());
    expect(tailFrom([], 200_000)).toBe(new Date(185_000).toISOString());
  });

  it("leaves what is shown as it is when nothing is new", () => {
    const shown = [line(2), line(1)];
    expect(mergeLines(shown, [line(2)])).toBe(shown);
  });

  it("property: has every line once, newest first, and never fewer than were shown", () => {
    const ids = fc.uniqueArray(fc.nat(3_000), { maxLength: 1_300 });
    fc.assert(
      fc.property(ids, ids, (shown, fresh) => {
        const before = shown.toSorted((a, b) => b - a).map(line);
        const merged = mergeLines(before, fresh.map(line)).map(({ id }) => id);
        expect(merged).toEqual([...new Set(merged)].toSorted((a, b) => b - a));
        expect(merged.length).toBe(
          Math.min(new Set([...shown, ...fresh]).size, Math.max(1_000, shown.length)),
        );
      }),
    );
  });
});

describe("filters from an address", () => {
  it("are taken as far as the API knows them", () => {
    expect(
      logFilters({ module: "Tool_FileRW", level: "warn", day: "2026-03-01", q: "x", run: "a.b" }),
    ).toEqual({
      module: "Tool_FileRW",
      level: "warn",
      day: "2026-03-01",
      q: "x",
      runId: "a.b",
      agentId: "",
    });
    expect(logFilters({ module: "../x", level: "loud", day: "2026-13-01" })).toMatchObject({
      module: "",
      level: "",
      day: "",
    });
    expect(auditFilters({ outcome: "maybe", since: "soon", until: "2026-03-01", tool: "X" })).toMatchObject({
      outcome: "",
      since: "",
      until: "2026-03-01",
      tool: "X",
    });
  });

  it("offer the modules of the tools that agents have, each once", () => {
    expect(modulesOf([{ tools: ["Mail", "AskAgent"] }, { tools: ["FileRW", "Mail", "Taskboard"] }])).toEqual([
      "Core",
      "Worker",
      "Tool_FileRW",
      "Tool_Mail",
    ]);
  });
});
