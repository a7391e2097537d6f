import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  communicationStage,
  frames,
  PAIR,
  rowsOf,
  scrollTo,
  settled,
  talk,
  watched,
  watchMiddle,
} from "./communication-stage.ts";
import { executablePath } from "./support/browser.ts";
import { seedPair } from "./support/seed.ts";

describe.skipIf(executablePath === "")("with the instance away", () => {
  const stage = communicationStage((db) => seedPair(db, "asker|knower", 2_000));
  const offline = '[data-connection="offline"]';
  const online = '[data-connection="online"]';

  it("the view says so, keeps its place, and goes on by itself when the instance is back", async () => {
    const { page, open } = await stage.come();
    await open(PAIR);
    await settled(page);
    await page.locator(online).waitFor({ state: "attached" });
    await scrollTo(page, 4_000);
    await frames(page, 10);
    await watchMiddle(page);
    await stage.kill();
    await page.locator(offline).waitFor();
    const address = page.url();
    await scrollTo(page, 0);
    await page.locator('[data-edge="older"] [role="alert"]').waitFor();
    await scrollTo(page, 4_000);
    const focused = rowsOf(page).nth(60);
    await focused.focus();
    await frames(page, 5);
    await watched(page);
    const uid = await watchMiddle(page);
    await stage.startAgain();
    await talk(stage.instance());
    await page.locator(online).waitFor({ state: "attached" });
    await page.locator('[data-edge="older"] [role="alert"]').waitFor({ state: "detached" });
    await page.getByRole("button", { name: /2 new/ }).waitFor();
    await frames(page, 20);
    const { moved } = await watched(page);
    expect(moved).toBeLessThanOrEqual(2);
    expect(page.url()).toBe(address);
    expect(await page.locator("article:focus").count()).toBe(1);
    expect(z.string().parse(uid)).not.toBe("");
    await page.getByRole("button", { name: /2 new/ }).click();
    await rowsOf(page).last().getByText("There are seven.").waitFor();
  });

  it("a page that was opened then shows what there is as soon as it can", async () => {
    const { page, open } = await stage.come();
    await page.route("**/api/{messages,pairs}*", (route) => route.abort());
    await open(PAIR);
    await page.locator('.conversation [role="alert"]').waitFor();
    await page.locator('.side [role="alert"]').waitFor();
    await page.unroute("**/api/{messages,pairs}*");
    await page.context().setOffline(true);
    await page.locator(offline).waitFor();
    await page.context().setOffline(false);
    await settled(page);
    await page.locator("a.pair", { hasText: "Knower" }).waitFor();
    expect(await page.locator('[role="alert"]').count()).toBe(0);
  });
});
