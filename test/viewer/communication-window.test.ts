import { describe, expect, it } from "vitest";
import { at } from "../support/record-rows.ts";
import {
  communicationStage,
  countRequests,
  frames,
  fromEnd,
  PAIR,
  putMessage,
  rowsOf,
  scrollTo,
  settled,
  talk,
  watched,
  watchMiddle,
} from "./communication-stage.ts";
import { executablePath } from "./support/browser.ts";
import { seedPair } from "./support/seed.ts";

const MANY = 50_000;
const LONG = Array.from({ length: 40 }, (_, line) => `Zeile ${line} eines langen Berichts`).join("\n");

describe.skipIf(executablePath === "")("50,000 messages of one pair", () => {
  const stage = communicationStage((db) => {
    seedPair(db, "asker|knower", MANY);
    for (let n = 0; n < 30; n += 1)
      putMessage(db, `late-${n}`, {
        content: n % 3 === 1 ? LONG : `Nachtrag ${n}`,
        occurredAt: at((MANY + n) * 1_000),
      });
  });

  const openPair = async (query = "") => {
    const { page, open } = await stage.come();
    const requests = countRequests(page);
    await open(PAIR + query);
    await settled(page);
    return { page, requests };
  };

  it("show their newest page after one request, at the end", async () => {
    const { page, requests } = await openPair();
    await frames(page, 20);
    expect(requests.messages).toHaveLength(1);
    expect(await rowsOf(page).count()).toBe(200);
    expect(await rowsOf(page).last().textContent()).toContain("Nachtrag 29");
    expect(await fromEnd(page)).toBeLessThanOrEqual(2);
  });

  it("170: do not move by more than 2 px while older ones load ten times, with one request each", async () => {
    const { page, requests } = await openPair();
    for (let turn = 1; turn <= 10; turn += 1) {
      // Every other time exactly at the top, where the browser anchors nothing by itself.
      await scrollTo(page, turn % 2 === 0 ? 0 : 150);
      const loaded = page.waitForResponse((response) => response.url().includes("/api/messages?"));
      const uid = await watchMiddle(page);
      await loaded;
      await settled(page);
      await frames(page, 40);
      const { moved, mostRows, tops } = await watched(page);
      expect(tops.length, uid).toBeGreaterThan(40);
      expect(moved).toBeLessThanOrEqual(2);
      expect(mostRows).toBeLessThanOrEqual(400);
    }
    expect(requests.messages).toHaveLength(11);
  });

  it("do not move when newer ones are loaded and the oldest are trimmed", async () => {
    const { page } = await openPair(`&m=${encodeURIComponent("asker|knower25000")}`);
    for (let turn = 0; turn < 5; turn += 1) {
      await scrollTo(page, -120);
      const loaded = page.waitForResponse((response) => response.url().includes("/api/messages?"));
      await watchMiddle(page);
      await loaded;
      await settled(page);
      await frames(page, 40);
      const { moved, mostRows } = await watched(page);
      expect(moved).toBeLessThanOrEqual(2);
      expect(mostRows).toBeLessThanOrEqual(400);
    }
  });

  it("do not move when a text above them is unfolded", async () => {
    const { page } = await openPair();
    await scrollTo(page, -40);
    await watchMiddle(page);
    const above = page.locator('article[data-uid="late-1"]');
    const before = (await above.boundingBox())?.height ?? 0;
    await above
      .locator("button.fold")
      .evaluate((button) => button.dispatchEvent(new MouseEvent("click", { bubbles: true })));
    await frames(page, 30);
    expect((await above.boundingBox())?.height).toBeGreaterThan(before + 100);
    expect((await watched(page)).moved).toBeLessThanOrEqual(2);
  });

  it("171: are never all in the page, and no frame is blank during 80 steps of the wheel", async () => {
    const { page } = await openPair();
    const nodes = () => page.locator(".transcript *").count();
    const perRow = (await nodes()) / 200;
    const box = await page.locator(".transcript").boundingBox();
    await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 300);
    await watchMiddle(page);
    for (let step = 0; step < 80; step += 1) {
      await page.mouse.wheel(0, -600);
      await frames(page, 2);
    }
    const { blank, mostRows } = await watched(page);
    expect(blank).toBe(0);
    expect(mostRows).toBeGreaterThan(250);
    expect(mostRows).toBeLessThanOrEqual(400);
    expect(await nodes()).toBeLessThanOrEqual(400 * Math.ceil(perRow));
  });

  it("stay where they are while new ones come, which are announced; at the end the view follows", async () => {
    const { page } = await openPair();
    await scrollTo(page, -1_500);
    await frames(page, 10);
    await watchMiddle(page);
    await talk(stage.instance());
    const button = page.getByRole("button", { name: /2 new/ });
    await button.waitFor();
    await frames(page, 20);
    expect((await watched(page)).moved).toBeLessThanOrEqual(2);
    expect(await page.locator("p.unseen[role=status]").textContent()).toMatch(/1 new from (Asker|Knower)/);
    await button.click();
    await frames(page, 10);
    expect(await fromEnd(page)).toBeLessThanOrEqual(2);
    expect(await rowsOf(page).last().textContent()).toContain("There are seven.");
    const count = await rowsOf(page).count();
    await talk(stage.instance());
    await rowsOf(page)
      .nth(count + 1)
      .waitFor();
    await frames(page, 10);
    expect(await fromEnd(page)).toBeLessThanOrEqual(2);
    expect(await button.count()).toBe(0);
  });

  it("cost no request per new message, neither for them nor for the list of pairs", async () => {
    const { page, requests } = await openPair();
    const before = { messages: requests.messages.length, pairs: requests.pairs.length };
    const count = page.locator("a.pair .pair-counts");
    const shown = Number((await count.textContent())?.replace(/\D/g, "").slice(-5));
    for (let n = 0; n < 3; n += 1) await talk(stage.instance());
    await count.getByText((shown + 6).toLocaleString("en-GB")).waitFor();
    expect(requests.messages).toHaveLength(before.messages);
    expect(requests.pairs).toHaveLength(before.pairs);
  });

  it("keep the focus when the message that has it is trimmed", async () => {
    const { page } = await openPair();
    await rowsOf(page).last().focus();
    for (let turn = 0; turn < 4; turn += 1) {
      await scrollTo(page, 100);
      const loaded = page.waitForResponse((response) => response.url().includes("/api/messages?"));
      await loaded;
      await settled(page);
    }
    expect(await page.locator("article:focus").count()).toBe(1);
    await page.keyboard.press("PageDown");
    expect(await page.locator("article:focus").count()).toBe(1);
  });
});
