import { describe, expect, it } from "vitest";
import { checkAgent, checkInstance } from "../../core/config/check.ts";
import { exampleTools, validAgent } from "../support/config-documents.ts";

const tools = exampleTools();

function cronPaths(cron: unknown): string[] {
  const checked = checkAgent(validAgent({ scheduler: [{ cron, taskMessage: "Report" }] }), tools);
  return checked.ok ? [] : checked.issues.map((issue) => issue.path);
}

function timeZonePaths(timeZone: unknown): string[] {
  const checked = checkInstance({ id: "demo", timeZone });
  return checked.ok ? [] : checked.issues.map((issue) => issue.path);
}

describe("a cron expression", () => {
  it.each([
    "* * * * *",
    "*/10 * * * * *",
    "0 8 * * 1-5",
    "0 8 * * MON-FRI",
    "0 0 * * 0",
    "0 0 * * 7",
    "0 0 29 2 *",
    "0 9 13 * 5",
    "30 2 * * *",
  ])("%j is accepted", (cron) => {
    expect(cronPaths(cron)).toEqual([]);
  });

  it.each([
    "",
    "* * * *",
    "* * * * * * *",
    "61 * * * *",
    "* 24 * * *",
    "0 0 * * 8",
    "*/0 * * * *",
    "@daily",
    "? * * * *",
    "every day",
    "* ".repeat(2_000),
    7,
    null,
  ])("%j is refused with its path", (cron) => {
    expect(cronPaths(cron)).toContain("scheduler[0].cron");
  });

  it.each(["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 0 31 2 *"])("%j never fires and is refused", (cron) => {
    const checked = checkAgent(validAgent({ scheduler: [{ cron, taskMessage: "Report" }] }), tools);
    expect(checked).toMatchObject({ ok: false, issues: [{ path: "scheduler[0].cron" }] });
  });
});

describe("a time zone", () => {
  it.each(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu"])("%j is accepted", (timeZone) => {
    expect(timeZonePaths(timeZone)).toEqual([]);
  });

  it.each(["", "Berlin", "Europe/Nowhere", "+02:00", "UTC ", 2, null, "E".repeat(70)])(
    "%j is refused",
    (timeZone) => {
      expect(timeZonePaths(timeZone)).toContain("timeZone");
    },
  );
});
