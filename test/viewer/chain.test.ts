import { readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { executablePath } from "./support/browser.ts";
import { chainStage, expectSound, tooWide } from "./support/chain-stage.ts";

const BIG = "big.0000000000root";
const BIG_RUNS = 1_200;

/** A chain of the record: 200 runs below each other, and a thousand more below the root. */
function seedBigChain(db: DatabaseSync): void {
  const id = (expression: string) => `'big.' || substr('0000000000' || (${expression}), -10) || 'run'`;
  db.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
     INSERT INTO RunReceipts (RunId, ParentRunId, RootRunId, AgentId, "Trigger", Model, Status, Steps, ToolCalls,
       InputTokens, OutputTokens, CostMicros, QueuedMs, DurationMs, StartedAt, FinishedAt, Resumes)
     SELECT CASE i WHEN 0 THEN ?2 ELSE ${id("i")} END,
       CASE WHEN i = 0 THEN NULL WHEN i = 1 OR i >= 200 THEN ?2 ELSE ${id("i - 1")} END, ?2,
       'agent' || (i % 7), 'ask', 'some-model', 'completed', 1, 0, 10, 1, 5, 0, 1000,
       strftime('%Y-%m-%dT%H:%M:%S', 1790000000 + i, 'unixepoch') || '.000Z',
       strftime('%Y-%m-%dT%H:%M:%S', 1790000001 + i, 'unixepoch') || '.000Z', 0 FROM n`,
  ).run(BIG_RUNS, BIG);
}

const row = (page: Page, name: string) => page.locator(".row", { hasText: name }).first();
const figure = (page: Page, label: string) => page.locator(".facts > div", { hasText: label });

describe.skipIf(executablePath === "")("the chain view", () => {
  const stage = chainStage(seedBigChain);
  let plan: string;
  beforeAll(async () => {
    plan = await stage.tell("lead", "plan the order", true);
  });

  /** Opens a chain and waits until it is there. */
  async function open(path: string, options: Parameters<typeof stage.come>[0] = {}): Promise<Page> {
    const { page, open: go } = await stage.come(options);
    await go(path);
    await page.locator(".facts").waitFor();
    return page;
  }

  it("tells what a chain took, what started it, and why parts of it failed", async () => {
    const page = await open(`/chain/${plan}`);
    await row(page, "Clerk").waitFor();
    await page.locator(".start", { hasText: "plan the order" }).waitFor();
    expect(await figure(page, "Cost").textContent()).toMatch(/at least .*\$0\.0\d+.*1 without a price/);
    expect(await figure(page, "Depth").textContent()).toContain("3");
    expect(await figure(page, "Failures").textContent()).toContain("2");
    expect(await row(page, "Broken one").textContent()).toContain("the provider refused the key");
    expect(await row(page, "Slow one").textContent()).toContain("its time was up");
    expect(await row(page, "Slow one").textContent()).toContain("scripted");
    expect(await page.locator("table caption", { hasText: "Tokens by kind" }).first().count()).toBe(1);
    await expectSound(page);
  });

  it("shows a share of the parent's cost or time in colour, and always with its number", async () => {
    const page = await open(`/chain/${plan}`);
    const share = row(page, "Slow one").locator(".share");
    await share.waitFor();
    expect(await share.getAttribute("data-weight")).toMatch(/half|most/);
    expect(await share.textContent()).toMatch(/^\d+\s%/);
  });

  it("loads a run's steps with arguments, results, errors and outcomes when they are opened", async () => {
    const page = await open(`/chain/${plan}?run=${plan}`);
    expect(await page.locator(".step-list").count()).toBe(0);
    await page.getByText("Steps and tool calls").click();
    await page.locator(".step-list > li").nth(3).waitFor();
    const outcomes = await page
      .locator(".call[data-outcome]")
      .evaluateAll((calls) =>
        calls.map(
          (call) => `${call.querySelector("code")?.textContent} ${call.getAttribute("data-outcome")}`,
        ),
      );
    expect(outcomes).toEqual([
      "ask_agent ok",
      "ask_agent failed",
      "ask_agent timeout",
      "ask_agent denied",
      "FileRW ok",
      "FileRW failed",
      "FileRW failed",
      "task_create ok",
    ]);
    const denied = page.locator('.call[data-outcome="denied"]');
    await denied.locator("summary").click();
    expect(await denied.textContent()).toMatch(/"agentId": "stranger".*not_colleague/s);
    await expectSound(page);
  });

  it("keeps one selection in all three readings and in the link", async () => {
    const page = await open(`/chain/${plan}`);
    await row(page, "Clerk").click();
    await page.locator(".chain-panel h2", { hasText: "Clerk" }).waitFor();
    const readings = page.getByRole("navigation", { name: "Readings" });
    await readings.getByRole("link", { name: "Timeline" }).click();
    await page.locator('.with-bars .row[aria-selected="true"]', { hasText: "Clerk" }).waitFor();
    await readings.getByRole("link", { name: "Transcript" }).click();
    await page.locator('.run-line[data-last="true"]', { hasText: "Clerk" }).waitFor();
    const again = await open(new URL(page.url()).pathname + new URL(page.url()).search);
    await again.locator('.run-line[data-last="true"]', { hasText: "Clerk" }).waitFor();
    await again.locator(".chain-panel h2", { hasText: "Clerk" }).waitFor();
  });

  it("is gone through by keys: arrows, folding, choosing, and back with Escape", async () => {
    const page = await open(`/chain/${plan}`);
    await row(page, "Lead").focus();
    await page.keyboard.press("ArrowLeft");
    expect(await page.locator(".row").count()).toBe(1);
    await page.keyboard.press("ArrowRight");
    await row(page, "Clerk").waitFor();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await page.locator(".row:focus", { hasText: "Clerk" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".chain-panel h2:focus", { hasText: "Clerk" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".chain-panel").waitFor({ state: "detached" });
    await page.locator("main :focus").waitFor();
  });

  it("reads as a conversation whose groups fold to their first and last line", async () => {
    const page = await open(`/chain/${plan}?show=transcript`);
    const texts = () =>
      page.locator(".said-bubble").evaluateAll((all) => all.map((each) => each.textContent));
    const all = await texts();
    expect(all.some((text) => text?.includes("Seven bags of 60 kg."))).toBe(true);
    expect(all.filter((text) => text?.includes("denied")).length).toBe(2);
    await page
      .locator(".run-line", { hasText: "Lead" })
      .first()
      .getByRole("button", { name: "Fold" })
      .click();
    await page.getByRole("button", { name: /lines between/ }).waitFor();
    expect((await texts()).length).toBeLessThan(3);
    await page.getByRole("button", { name: /lines between/ }).click();
    expect(await texts()).toEqual(all);
    await expectSound(page);
  });

  it("opens at a message that a link names, and leads to it in its pair and to its task", async () => {
    const { messages } = z
      .object({
        messages: z.array(z.object({ id: z.number(), content: z.string(), taskId: z.string().nullable() })),
      })
      .parse(await stage.get(`/api/chains/${plan}`));
    const given = messages.find(({ content }) => content.includes("Order the beans"));
    const page = await open(`/chain/${plan}?m=${given?.id}`);
    const panel = page.locator(".panel-message");
    await panel.getByText("60 kg.").waitFor();
    const link = await panel.getByRole("link", { name: "In Communication" }).getAttribute("href");
    expect(link).toBe(`/communication?a=lead&b=clerk&m=${given?.id}`);
    await panel.getByRole("link", { name: "Task" }).click();
    await page.waitForURL(`**/tasks?task=${given?.taskId}`);
  });

  it("shows its tasks with their state and a link", async () => {
    const page = await open(`/chain/${plan}`);
    const task = page.locator(".chain-tasks li", { hasText: "Order the beans" });
    await task.getByText("done").waitFor();
    expect(await task.getByRole("link").getAttribute("href")).toMatch(/^\/tasks\?task=t/);
  });

  it("says that a chain is frozen and why, and releases it without losing the focus", async () => {
    const frozen = await stage.tell("spender", "spend", true);
    const page = await open(`/chain/${frozen}`);
    const banner = page.locator(".banner");
    await banner.getByText("It has used up its 5 US dollars.").waitFor();
    await expectSound(page);
    await banner.getByRole("button", { name: "Release" }).click();
    await banner.waitFor({ state: "detached" });
    await page.locator("h1:focus").waitFor();
  });

  it("cancels a chain after asking, and follows what becomes of it", async () => {
    const waiting = await stage.tell("waiter", "wait", false);
    const page = await open(`/chain/${waiting}`);
    await row(page, "Stock expert").waitFor();
    const button = page.getByRole("button", { name: "Cancel the chain" });
    await button.click();
    await page.getByRole("dialog").waitFor();
    await expectSound(page);
    await page.keyboard.press("Escape");
    await page.locator(".chain-acts > button:focus").waitFor();
    await button.click();
    await page.getByRole("button", { name: "Cancel it" }).click();
    await row(page, "Waiter").getByText("cancelled", { exact: true }).waitFor();
    await page.getByText("This chain was cancelled").waitFor();
    expect(await button.count()).toBe(0);
    await page.locator("h1:focus").waitFor();
  });

  it("shows runs, messages and tasks as they come, without being asked", async () => {
    const running = await stage.tell("lead", "plan another one", false);
    const page = await open(`/chain/${running}?show=transcript`);
    await page.locator(".said-bubble", { hasText: "Ordered, 60 kg." }).waitFor();
    await page.locator(".chain-tasks", { hasText: "Order the beans" }).waitFor();
    await page.getByRole("link", { name: "Tree" }).click();
    await page.locator(".row", { hasText: "task" }).nth(1).waitFor();
  });

  it("takes the act of a person, which is no run, and the id of any run of a chain", async () => {
    const act = await stage.give("Count the beans", "clerk");
    const page = await open(`/chain/${act}`);
    await page.locator(".start", { hasText: "A person's act began this chain" }).waitFor();
    await row(page, "Clerk").getByText("completed").waitFor();
    await row(page, "Clerk").click();
    const runId = await page.locator(".chain-panel .chain-id").textContent();
    const other = await open(`/chain/${runId}`);
    await other.waitForURL(`**/chain/${encodeURIComponent(act)}?run=${runId}`);
    await other.locator(".chain-panel h2", { hasText: "Clerk" }).waitFor();
  });

  it("saves the whole chain as a file", async () => {
    const page = await open(`/chain/${plan}`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as file" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`chain-${plan}.json`);
    const chain: unknown = JSON.parse(readFileSync(await download.path(), "utf8"));
    expect(chain).toMatchObject({ rootRunId: plan, complete: true });
  });

  it("says so when there is no such chain, and none was asked for", async () => {
    for (const [path, text] of [
      ["/chain/nobody.0123456789ab", "There is no chain with this id."],
      ["/chain", "A chain is everything that one instruction caused."],
    ] as const) {
      const { page, open: go } = await stage.come();
      await go(path);
      await page.getByText(text).waitFor();
      expect(await page.getByRole("link", { name: "Go to the messages" }).count()).toBe(1);
      await expectSound(page);
    }
  });

  it("stays usable with a thousand runs, 200 deep, and says what it does not show", async () => {
    const page = await open(`/chain/${BIG}`);
    await page.getByText("Shown are the first 1,000 of 1,200 runs.").waitFor();
    expect(await figure(page, "Depth").textContent()).toContain("200");
    expect(await page.locator(".row").count()).toBe(1_000);
    const first = page.locator(".row").first();
    await first.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowLeft");
    expect(await page.locator(".row").count()).toBe(802);
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.locator(".chain-panel h2:focus").waitFor();
    await page.getByRole("link", { name: "Timeline" }).click();
    await page.locator(".with-bars .row").nth(801).waitFor({ state: "attached" });
    await page.locator(".row").nth(1).focus();
    await page.keyboard.press("ArrowRight");
    const deep = page.locator('.row[aria-level="150"]');
    await deep.scrollIntoViewIfNeeded();
    expect(await deep.textContent()).toContain("level 150");
    expect(await tooWide(page)).toEqual([0, 0]);
  });

  it("shows hostile texts as text", async () => {
    const hostile = await stage.tell("lead", "hostile", true);
    const page = await open(`/chain/${hostile}?show=transcript`);
    await page.locator(".said-bubble", { hasText: "<script>alert(1)</script>" }).nth(1).waitFor();
    expect(await page.title()).not.toBe("1");
    expect(await page.locator("main img, main script, main a[href^='javascript']").count()).toBe(0);
    await expectSound(page);
  });

  it("speaks German", async () => {
    const page = await open(`/chain/${plan}`, { locale: "de-DE" });
    expect(await figure(page, "Kosten").textContent()).toMatch(/mindestens 0,0\d+.*\$.*1 ohne Preis/);
    await row(page, "Broken one").getByText("der Anbieter hat den Schlüssel abgelehnt").waitFor();
    await page.getByRole("link", { name: "Verlauf" }).click();
    await page.locator(".said-bubble", { hasText: "abgelehnt" }).first().waitFor();
    await page.getByRole("link", { name: "Zeitachse" }).click();
    await row(page, "Slow one").click();
    await page.locator(".chain-panel", { hasText: "Wartezeit an der Schleuse" }).waitFor();
    await page.getByText("Schritte und Tool-Aufrufe").click();
    await page.getByText("Er hat kein Modell aufgerufen.").waitFor();
  });

  it("has no fault that axe-core finds, light and dark, on a desk and on a phone", async () => {
    for (const options of [
      { colorScheme: "dark" },
      { viewport: { width: 360, height: 740 } },
      { viewport: { width: 360, height: 740 }, colorScheme: "dark" },
    ] as const)
      for (const show of ["tree", "timeline", "transcript"]) {
        const page = await open(`/chain/${plan}?show=${show}`, options);
        await page.locator(".row, .said-bubble").first().waitFor();
        await expectSound(page);
        await page.locator(".row, .run-name").nth(1).click();
        await page.getByText("Steps and tool calls").click();
        await page.locator(".step-list").waitFor();
        await expectSound(page);
      }
  });
});
