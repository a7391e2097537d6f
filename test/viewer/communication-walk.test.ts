import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { at } from "../support/record-rows.ts";
import {
  communicationStage,
  frames,
  PAIR,
  putMessage,
  rowsOf,
  settled,
  sidewaysFaults,
  talk,
} from "./communication-stage.ts";
import { executablePath } from "./support/browser.ts";
import { seedPair } from "./support/seed.ts";

const MANY = 50_000;
const DAY = 86_400_000;
const end = at(MANY * 1_000 + DAY);

const WALKS = [
  {
    locale: "en-GB",
    find: "Find in this conversation",
    word: "Word in this conversation",
    older: "Older hit",
    newer: "Newer hit",
    date: "Go to a date",
    day: "Date",
    go: "Go",
    filter: "Filter",
    channel: "Channel",
    chip: "Remove the filter Comment",
    swap: "Swap sides",
    search: "Search agents and messages",
    reason: "Why: Denied (not_colleague)",
    chain: "Chain",
    exported: "Export",
  },
  {
    locale: "de-DE",
    find: "In diesem Gespräch suchen",
    word: "Wort in diesem Gespräch",
    older: "Älterer Treffer",
    newer: "Neuerer Treffer",
    date: "Zu einem Datum gehen",
    day: "Datum",
    go: "Anzeigen",
    filter: "Filter",
    channel: "Kanal",
    chip: "Filter Kommentar entfernen",
    swap: "Seiten tauschen",
    search: "Agenten und Nachrichten suchen",
    reason: "Grund: Denied (not_colleague)",
    chain: "Vorgang",
    exported: "Exportieren",
  },
] as const;

describe.skipIf(executablePath === "")("a walk through what agents said", () => {
  const stage = communicationStage((db) => {
    seedPair(db, "asker|knower", MANY);
    for (let n = 0; n < 700; n += 1)
      putMessage(db, `often-${n}`, { content: `Sehr oft ${n}`, occurredAt: at(-DAY + n * 1_000) });
    putMessage(db, "ask:x:request", { content: "May I?", status: "denied", occurredAt: end });
    putMessage(db, "ask:x:response", {
      fromAgentId: "knower",
      toAgentId: "asker",
      direction: "response",
      content: "Denied (not_colleague): nobody like that.",
      status: "denied",
      rootRunId: "root.x",
      occurredAt: end,
    });
    putMessage(db, "comment", {
      channel: "task_comment",
      taskId: "t-comment",
      content: "Please hurry",
      occurredAt: end,
    });
    putMessage(db, "carl", { toAgentId: "carl", content: "Only Carl hears of the zebra", occurredAt: at(0) });
  });

  const middleRow = (page: Page) => page.locator("article.flash");
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  it.each(WALKS)(
    "finds a word, steps through its hits, and another browser sees the same ($locale)",
    async (text) => {
      const { page, open } = await stage.come({ locale: text.locale });
      await open(PAIR);
      await settled(page);
      await button(page, text.find).click();
      await page.getByLabel(text.word).fill("vorgang ruckfrage");
      await page.locator(".find-count", { hasText: /^1 \/ 500\+$/ }).waitFor();
      await middleRow(page).getByText("Vorgang 49990 ").waitFor();
      await button(page, text.older).click();
      await button(page, text.older).click();
      await page.locator(".find-count", { hasText: /^3 \/ 500\+$/ }).waitFor();
      await middleRow(page).getByText("Vorgang 49970 ").waitFor();
      await button(page, text.newer).click();
      await middleRow(page).getByText("Vorgang 49980 ").waitFor();
      const marked: unknown = await page.evaluate(
        `[...CSS.highlights.get("found")].map(String).filter((text) => text === "Rückfrage").length`,
      );
      expect(marked).toBeGreaterThan(5);
      const fresh = await stage.come({ locale: text.locale });
      await fresh.open(page.url().slice(stage.instance().viewerUrl.length));
      await fresh.page.locator(".find-count", { hasText: /^2 \/ 500\+$/ }).waitFor();
      await middleRow(fresh.page).getByText("Vorgang 49980 ").waitFor();
      expect(await fresh.page.getByLabel(text.word).inputValue()).toBe("vorgang ruckfrage");
    },
  );

  it("counts up to 500 hits and walks beyond", async () => {
    const { page, open } = await stage.come();
    await open(`${PAIR}&find=sehr+oft&m=often-200`);
    await page.locator(".find-count", { hasText: /^500 \/ 500\+$/ }).waitFor();
    await button(page, "Older hit").click();
    await middleRow(page).getByText("Sehr oft 199").waitFor();
    await page.locator(".find-count", { hasText: /^- \/ 500\+$/ }).waitFor();
    await button(page, "Older hit").click();
    await middleRow(page).getByText("Sehr oft 198").waitFor();
  });

  it.each(WALKS)("goes to a date, and the link leads there again ($locale)", async (text) => {
    const { page, open } = await stage.come({ locale: text.locale });
    await open(PAIR);
    await settled(page);
    await page.locator(`summary[aria-label="${text.date}"]`).click();
    await page.getByLabel(text.day, { exact: true }).fill("2026-10-01");
    await button(page, text.go).click();
    await middleRow(page).getByText("Vorgang 0 ").waitFor();
    const fresh = await stage.come({ locale: text.locale });
    await fresh.open(page.url().slice(stage.instance().viewerUrl.length));
    await middleRow(fresh.page).getByText("Vorgang 0 ").waitFor();
  });

  it.each(WALKS)(
    "filters by chips that can be taken away, and the focus is not lost ($locale)",
    async (text) => {
      const { page, open } = await stage.come({ locale: text.locale });
      await open(PAIR);
      await settled(page);
      await page.locator(`summary[aria-label="${text.filter}"]`).click();
      await page.getByLabel(text.channel).selectOption("task_comment");
      await rowsOf(page).getByText("Please hurry").waitFor();
      await page.keyboard.press("Escape");
      await page.locator(`summary[aria-label="${text.filter}"]:focus`).waitFor();
      expect(await rowsOf(page).count()).toBe(1);
      expect(new URL(page.url()).searchParams.get("channel")).toBe("task_comment");
      await button(page, text.chip).click();
      await rowsOf(page).nth(199).waitFor();
      await page.locator(`summary[aria-label="${text.filter}"]:focus`).waitFor();
    },
  );

  it.each(WALKS)(
    "says why something was refused, and leads to its chain and its task ($locale)",
    async (text) => {
      const { page, open } = await stage.come({ locale: text.locale });
      await open(PAIR);
      await page.locator('article[data-uid="ask:x:request"] .reason', { hasText: text.reason }).waitFor();
      const refused = page.locator('article[data-uid="ask:x:response"]');
      const task = page.locator('article[data-uid="comment"] a', { hasText: "t-comment" });
      expect(await task.getAttribute("href")).toBe("/tasks?task=t-comment");
      await refused.hover();
      await refused.getByRole("link", { name: text.chain }).click();
      await page.waitForURL(/\/chain\/root\.x\?m=\d+$/);
    },
  );

  it.each(WALKS)("searches everything and comes to the message ($locale)", async (text) => {
    const { page, open } = await stage.come({ locale: text.locale });
    await open("/communication");
    await page.getByLabel(text.search).fill("zebra");
    await page.locator(".result mark", { hasText: "zebra" }).waitFor();
    await page.locator("a.result").click();
    await middleRow(page).getByText("Only Carl hears of the zebra").waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ a: "asker", b: "carl" });
    await page.getByLabel(text.search).fill("knower");
    await page.locator("a.pair", { hasText: "Knower" }).waitFor();
    expect(await page.locator("a.pair", { hasText: "carl" }).count()).toBe(0);
  });

  it.each(WALKS)("swaps the sides, and with all nobody is at the right ($locale)", async (text) => {
    const { page, open } = await stage.come({ locale: text.locale });
    await open(PAIR);
    await page.locator('article.own[data-uid="comment"]').waitFor();
    await button(page, text.swap).click();
    await page.locator('article.other[data-uid="comment"]').waitFor();
    await open("/communication?a=asker");
    await page.locator('article.other[data-uid="comment"] .addressee', { hasText: "Knower" }).waitFor();
    expect(await page.locator("article.own").count()).toBe(0);
  });

  it.each(["md", "json"] as const)("exports all that is shown as %s", async (format) => {
    const { page, open } = await stage.come();
    await open(`${PAIR}&status=denied`);
    await settled(page);
    await page.locator('summary[aria-label="Export"]').click();
    const saved = page.waitForEvent("download");
    await button(page, format === "md" ? "Markdown" : "JSON").click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe(`parley-asker-knower.${format}`);
    const text = readFileSync(await download.path(), "utf8");
    expect(text).toContain("May I?");
    expect(text).toContain("not_colleague");
    if (format === "json") expect(JSON.parse(text)).toHaveLength(2);
    await page.getByText("2 messages are in the file.").waitFor();
  });

  it("stops an export that takes too long", async () => {
    const { page, open } = await stage.come();
    await open(PAIR);
    await settled(page);
    await page.route(/[?&]limit=500/, async () => undefined);
    await page.locator('summary[aria-label="Export"]').click();
    await button(page, "JSON").click();
    await page.getByRole("progressbar").waitFor();
    await page.locator(".export-stop:focus").waitFor();
    await button(page, "Stop").click();
    await page.locator("button:focus", { hasText: "Markdown" }).waitFor();
    expect(await page.getByRole("progressbar").count()).toBe(0);
  });

  it("marks a conversation with something new until it is read", async () => {
    const { page, open } = await stage.come();
    await open("/communication?a=asker&b=carl");
    await settled(page);
    await talk(stage.instance());
    const pair = page.locator("a.pair", { hasText: "Knower" });
    await pair.locator(".pair-new").waitFor();
    await page.reload();
    await pair.locator(".pair-new").waitFor();
    await pair.click();
    await rowsOf(page).last().getByText("There are seven.").waitFor();
    await page.locator("a.pair", { hasText: "carl" }).click();
    await rowsOf(page).getByText("zebra").waitFor();
    expect(await page.locator(".pair-new").count()).toBe(0);
  });

  it("can be done by keys alone, and single letters can be switched off", async () => {
    const { page, open } = await stage.come();
    await open("/communication");
    await page.locator("a.pair").nth(1).waitFor();
    await page.keyboard.press("j");
    await page.locator('a.pair[aria-current="true"]:focus', { hasText: "Knower" }).waitFor();
    await settled(page);
    await page.keyboard.press("j");
    await page.locator('a.pair[aria-current="true"]:focus', { hasText: "carl" }).waitFor();
    await page.keyboard.press("k");
    await rowsOf(page).nth(199).waitFor();
    await rowsOf(page).last().focus();
    await page.keyboard.press("PageUp");
    await page.locator('article:focus[aria-posinset="199"]').waitFor();
    await page.keyboard.press("Control+Home");
    expect(await page.locator("article:focus").count()).toBe(0);
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.locator('input[type="date"]:focus').waitFor();
    await page.keyboard.press("Escape");
    await page.locator('summary[aria-label="Go to a date"]:focus').waitFor();
    await page.keyboard.press("/");
    await page.locator('input[name="find"]:focus').waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".find-open:focus").waitFor();
    await page.keyboard.press("?");
    await page.getByLabel("Use single letters as keys").uncheck();
    await page.keyboard.press("Escape");
    await page.locator(".find-open:focus").waitFor();
    await page.keyboard.press("j");
    await frames(page, 5);
    expect(new URL(page.url()).searchParams.get("b")).toBe("knower");
  });

  it("fits on a phone: the list first, then the conversation, and back", async () => {
    const { page, open } = await stage.come({ viewport: { width: 360, height: 740 } });
    await open("/communication");
    await page.locator("a.pair", { hasText: "Knower" }).click();
    await settled(page);
    expect(await page.locator(".side").isVisible()).toBe(false);
    expect(await sidewaysFaults(page)).toEqual([]);
    await page.locator("a.back").click();
    await page.locator("a.pair").first().waitFor();
    expect(await sidewaysFaults(page)).toEqual([]);
  });

  it("copies a message's source", async () => {
    const { page, open } = await stage.come();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(PAIR);
    const row = page.locator('article[data-uid="comment"]');
    await row.hover();
    await row.getByRole("button", { name: "Copy" }).click();
    await row.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("Please hurry");
  });
});
