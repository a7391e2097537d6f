import { describe, expect, it } from "vitest";
import { communicationStage, frames, fromEnd, PAIR, rowsOf, talk } from "./communication-stage.ts";
import { axeViolations } from "./support/axe.ts";
import { executablePath } from "./support/browser.ts";

const WORDS = [
  ["en-GB", "No agent has said anything yet", "These two have not talked yet"],
  ["de-DE", "Noch hat kein Agent etwas gesagt", "Diese beiden haben noch nicht miteinander gesprochen"],
] as const;

describe.skipIf(executablePath === "")("a record without messages", () => {
  const stage = communicationStage(() => undefined);

  it.each(WORDS)("says so with the next step (%s)", async (locale, nothing, notYet) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, open } = await stage.come({ locale, colorScheme });
      await open("/communication");
      await page.locator(".side .note", { hasText: nothing }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await open(PAIR);
      await page.locator(".conversation .note", { hasText: notYet }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
    }
  });

  it("fills before one's eyes when agents begin to talk", async () => {
    const { page, open } = await stage.come();
    await open(PAIR);
    await page.locator(".conversation .note").waitFor();
    await page.locator('[data-connection="online"]').waitFor({ state: "attached" });
    for (let turn = 1; turn <= 6; turn += 1) {
      await talk(stage.instance());
      await rowsOf(page)
        .nth(turn * 2 - 1)
        .waitFor();
    }
    await page.locator("a.pair .pair-counts", { hasText: "12" }).waitFor();
    await frames(page, 10);
    expect(await fromEnd(page)).toBeLessThanOrEqual(2);
    expect(await page.locator(".conversation .note").count()).toBe(0);
    expect(await rowsOf(page).last().textContent()).toContain("There are seven.");
  });

  it("takes in what comes live only as far as the filters let it through", async () => {
    const paths = [`${PAIR}&q=sev`, `${PAIR}&status=failed`, "/communication?a=knower"];
    const pages = [];
    for (const path of paths) {
      const { page, open } = await stage.come();
      await open(path);
      await page.locator('[data-connection="online"]').waitFor({ state: "attached" });
      pages.push(page);
    }
    const [words, status, all] = pages;
    if (words === undefined || status === undefined || all === undefined) throw new Error("Nobody came.");
    await rowsOf(words).nth(5).waitFor();
    await status.locator(".conversation .note").waitFor();
    await rowsOf(all).nth(11).waitFor();
    await talk(stage.instance());
    await rowsOf(all).nth(13).waitFor();
    await rowsOf(words).nth(6).waitFor();
    expect(await rowsOf(words).count()).toBe(7);
    expect(await rowsOf(status).count()).toBe(0);
  });
});
