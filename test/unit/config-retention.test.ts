import { describe, expect, it } from "vitest";
import { checkInstance } from "../../core/config/check.ts";
import { instanceSchema } from "../../core/config/instance.ts";
import { daysKept, KEPT_KINDS } from "../../core/config/retention.ts";

const mirror = { host: "db.example", username: "parley", database: "parley" };

function days(changes: Readonly<Record<string, unknown>>) {
  const instance = instanceSchema.parse({ id: "demo", ...changes });
  return Object.fromEntries(KEPT_KINDS.map((kind) => [kind, daysKept(instance, kind)]));
}

function paths(changes: Readonly<Record<string, unknown>>): string[] {
  const checked = checkInstance({ id: "demo", ...changes });
  return checked.ok ? [] : checked.issues.map(({ path }) => path);
}

describe("how long the record is kept", () => {
  it("is for ever by default, but for what is only logged", () => {
    const kept = { messages: 0, audit: 0, receipts: 0, notices: 0, tasks: 0 };
    expect(days({})).toEqual({ ...kept, approvals: 30, ticks: 30, logs: 14 });
  });

  it("is 180 days for messages once there is a copy elsewhere, unless the config says otherwise", () => {
    expect(days({ archive: {} }).messages).toBe(180);
    expect(days({ mirror }).messages).toBe(180);
    expect(days({ archive: { tables: ["audit"] } }).messages).toBe(0);
    expect(days({ archive: {}, mirror, agentMessageRetentionDays: 0 }).messages).toBe(0);
    expect(days({ agentMessageRetentionDays: 7 }).messages).toBe(7);
  });

  it("is set for each table alone", () => {
    expect(days({ retention: { audit: 90 } })).toMatchObject({ audit: 90, receipts: 0, logs: 14 });
  });
});

describe("faults are told with their path", () => {
  it.each([
    [{ retention: { messages: 3 } }, "instance.retention.messages"],
    [{ retention: { audit: -1 } }, "instance.retention.audit"],
    [{ archive: { tables: ["everything"] } }, "instance.archive.tables[0]"],
    [{ archive: true }, "instance.archive"],
    [{ mirror: { ...mirror, password: "literal" } }, "instance.mirror.password"],
    [{ mirror: { host: "db.example" } }, "instance.mirror.username"],
    [{ mirror: { ...mirror, multipleStatements: true } }, "instance.mirror.multipleStatements"],
  ])("%j", (changes, path) => {
    expect(paths(changes).map((found) => `instance.${found}`)).toContain(path);
  });
});
