import { readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { executablePath } from "./support/browser.ts";
import { chainStage, expectSound } from "./support/chain-stage.ts";

const DAY = "2026-03-01";
const HOSTILE = '<img src=x onerror="document.title=1">\u202Egnp.exe <script>alert(1)</script>';

/** 450 lines of a tool on one day, every tenth a warning, and 450 audit entries. */
function seedLines(db: DatabaseSync): void {
  const numbers = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 450)";
  const time = "strftime('%Y-%m-%dT%H:%M:%S', ?1 / 1000 + i, 'unixepoch') || '.000Z'";
  db.prepare(
    `${numbers} INSERT INTO Logs (Id, Module, Level, AgentId, RunId, Text, OccurredAt)
     SELECT (?1 + i * 1000) * 2048, 'Tool_FileRW', CASE i % 10 WHEN 0 THEN 'warn' ELSE 'info' END, 'lead', 'lead.0000000000' || i,
       CASE i WHEN 449 THEN ?2 ELSE 'line ' || i END, ${time} FROM n`,
  ).run(Date.parse(DAY), HOSTILE);
  db.prepare(
    `${numbers} INSERT INTO AuditLog (Id, Uid, RunId, RootRunId, AgentId, Tool, Arguments, Outcome, Error, DurationMs, OccurredAt)
     SELECT (?1 + i * 1000) * 2048, 'seed' || i, 'lead.0000000000' || i, 'lead.0000000000' || i, 'lead', 'OldTool',
       json_object('number', i, 'text', CASE i WHEN 449 THEN ?2 ELSE 'words' END),
       CASE i % 100 WHEN 7 THEN 'denied' ELSE 'ok' END, CASE i % 100 WHEN 7 THEN 'No, ' || i ELSE NULL END, 5, ${time} FROM n`,
  ).run(Date.parse(DAY), HOSTILE);
}

const lines = (page: Page) => page.locator(".log-lines > li");

describe.skipIf(executablePath === "")("the log view", () => {
  const stage = chainStage(seedLines);
  let plan: string;
  beforeAll(async () => {
    plan = await stage.tell("lead", "plan the order", true);
  });

  async function open(path: string, options: Parameters<typeof stage.come>[0] = {}): Promise<Page> {
    const { page, open: go } = await stage.come(options);
    await go(path);
    await page.locator(".log-filters").waitFor();
    return page;
  }

  it("shows lines newest first, each with its level in words and the way to its chain", async () => {
    const page = await open("/log?level=warn");
    const failed = lines(page).filter({ hasText: "The key was refused" });
    await failed.getByText("warning").waitFor();
    await expectSound(page);
    await failed.getByRole("link", { name: /^Chain of this run/ }).click();
    await page.waitForURL(`**/chain/${encodeURIComponent(plan)}?run=*`);
    await page.locator(".chain-panel h2", { hasText: "Broken one" }).waitFor();
  });

  it("keeps module, level, day and text in the address, and finds by them", async () => {
    const page = await open("/log");
    await page.getByLabel("Module").selectOption("Tool_FileRW");
    await page.getByLabel("Day (UTC)").fill(DAY);
    await lines(page).filter({ hasText: "line 448" }).waitFor();
    await page.getByLabel("Level").selectOption("warn");
    await page.getByLabel("Text").fill("LINE 41");
    await page.waitForURL(/q=LINE\+41/);
    await lines(page).nth(1).waitFor({ state: "detached" });
    await lines(page).filter({ hasText: "line 410" }).waitFor();
    expect(await lines(page).count()).toBe(1);
    const again = await open(`/log${new URL(page.url()).search}`);
    await lines(again).filter({ hasText: "line 410" }).waitFor();
    expect(await again.getByLabel("Text").inputValue()).toBe("LINE 41");
    expect(await again.getByLabel("Day (UTC)").inputValue()).toBe(DAY);
  });

  it("brings older lines by the button and by themselves, and says where they end", async () => {
    const page = await open(`/log?day=${DAY}`);
    await lines(page).nth(199).waitFor();
    const older = page.getByRole("button", { name: "Older lines" });
    await older.scrollIntoViewIfNeeded();
    await lines(page).nth(399).waitFor({ state: "attached" });
    await lines(page).last().scrollIntoViewIfNeeded();
    await page.getByText("These are all.").waitFor();
    expect(await lines(page).count()).toBe(450);
  });

  it("takes a run from a link as a filter that can be removed", async () => {
    const page = await open("/log?run=lead.00000000007");
    await lines(page).filter({ hasText: "line 7" }).waitFor();
    expect(await lines(page).count()).toBe(1);
    await page.getByRole("button", { name: "Remove the filter Run" }).click();
    await lines(page).nth(5).waitFor();
    await page.locator("h1:focus").waitFor();
  });

  it("reads along live while it is wanted", async () => {
    const page = await open("/log?module=Core");
    await lines(page).first().waitFor();
    const before = await lines(page).count();
    await page.getByRole("switch", { name: "Live tail" }).check();
    await page.waitForURL(/tail=on/);
    await stage.tell("stranger", "hello", true);
    await lines(page).first().filter({ hasText: "Stranger" }).waitFor();
    expect(await lines(page).count()).toBeGreaterThan(before);
    await expectSound(page);
    await page.getByLabel("Day (UTC)").fill(DAY);
    await page.waitForURL(/day=/);
    expect(await page.getByRole("switch", { name: "Live tail" }).isDisabled()).toBe(true);
  });

  it("downloads a module's day under the module's name", async () => {
    const page = await open(`/log?module=Tool_FileRW&day=${DAY}`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download Tool_FileRW.log" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("Tool_FileRW.log");
    const text = readFileSync(await download.path(), "utf8")
      .trimEnd()
      .split("\n");
    expect(text).toHaveLength(450);
    expect(text[0]).toBe(`${DAY}T00:00:00.000Z WARN  Tool_FileRW [lead lead.00000000000] line 0`);
  });

  it("says when nothing is there, and how to see more", async () => {
    const page = await open("/log?day=2020-01-01");
    await page.getByText("No line matches these filters.").waitFor();
    await page.getByRole("link", { name: "Remove all filters" }).click();
    await lines(page).first().waitFor();
  });

  it("shows hostile texts as text", async () => {
    const page = await open(`/log?day=${DAY}`);
    await lines(page).filter({ hasText: "<script>alert(1)</script>" }).waitFor();
    const audit = await open(`/log?tab=audit&tool=OldTool`);
    await lines(audit).first().locator("summary").click();
    for (const each of [page, audit]) {
      expect(await each.title()).not.toBe("1");
      expect(await each.locator("main img, main script").count()).toBe(0);
      await expectSound(each);
    }
  });

  describe("the audit", () => {
    it("shows each tool call with its outcome and error, its arguments folded, and its chain", async () => {
      const page = await open("/log");
      await page.getByRole("link", { name: "Audit" }).click();
      const denied = lines(page).filter({ hasText: "not_colleague" });
      await denied.getByText("denied", { exact: true }).waitFor();
      expect(await denied.locator("pre").isVisible()).toBe(false);
      await denied.locator("summary").click();
      expect(await denied.locator("pre").textContent()).toContain('"agentId": "stranger"');
      await expectSound(page);
      await denied.getByRole("link", { name: "Chain" }).click();
      await page.waitForURL(`**/chain/${encodeURIComponent(plan)}?run=*`);
      await page.locator(".chain-panel h2", { hasText: "Lead" }).waitFor();
    });

    it("is searched by agent, tool, outcome, period and text, all in the address", async () => {
      const page = await open("/log?tab=audit");
      await page.getByLabel("Tool").selectOption("FileRW");
      await lines(page).filter({ hasText: "missing.txt" }).waitFor();
      await page.getByLabel("Outcome").selectOption("failed");
      await page.locator("select[name=agent]").selectOption("lead");
      await page.getByLabel("Arguments or error").fill("extension");
      await page.waitForURL(/agent=lead.*q=extension|q=extension.*agent=lead/);
      await lines(page).nth(1).waitFor({ state: "detached" });
      await lines(page).filter({ hasText: "extension_refused" }).waitFor();
      expect(await lines(page).count()).toBe(1);
      await page.getByLabel("From").fill("2020-01-01");
      await page.locator("input[name=until]").fill("2020-01-02");
      await page.getByText("No entry matches these filters.").waitFor();
      const again = await open(`/log${new URL(page.url()).search}`);
      await again.getByText("No entry matches these filters.").waitFor();
      expect(await again.locator("input[name=until]").inputValue()).toBe("2020-01-02");
    });

    it("brings older entries", async () => {
      const page = await open("/log?tab=audit&tool=OldTool");
      await lines(page).nth(199).waitFor();
      await page.getByRole("button", { name: "Older entries" }).scrollIntoViewIfNeeded();
      await lines(page).nth(399).waitFor({ state: "attached" });
    });
  });

  it("speaks German", async () => {
    const page = await open("/log?level=warn", { locale: "de-DE" });
    await lines(page).filter({ hasText: "Warnung" }).first().waitFor();
    await page.getByText("Zeilen bleiben 14 Tage.").waitFor();
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByLabel("Ausgang").selectOption("denied");
    await lines(page).filter({ hasText: "abgelehnt" }).first().waitFor();
    await page.getByLabel("Argumente oder Fehler").fill("so etwas gibt es nicht");
    await page.getByText("Kein Eintrag passt zu diesen Filtern.").waitFor();
  });

  it("has no fault that axe-core finds, light and dark, on a desk and on a phone", async () => {
    for (const options of [
      { colorScheme: "dark" },
      { viewport: { width: 360, height: 740 } },
      { viewport: { width: 360, height: 740 }, colorScheme: "dark" },
    ] as const)
      for (const path of [
        "/log?level=warn&run=",
        "/log?tab=audit&outcome=denied",
        "/log?q=nothing+like+it",
      ]) {
        const page = await open(path, options);
        await page.locator(".log-lines, .note:not(.loading)").first().waitFor();
        await expectSound(page);
      }
  });
});
