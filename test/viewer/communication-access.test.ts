import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { at } from "../support/record-rows.ts";
import { communicationStage, PAIR, putMessage, settled } from "./communication-stage.ts";
import { axeViolations } from "./support/axe.ts";
import { executablePath } from "./support/browser.ts";

const wide = { width: 1280, height: 800 };
const phone = { width: 360, height: 740 };

describe.skipIf(executablePath === "")("the communication view", () => {
  const stage = communicationStage((db) => {
    for (let n = 0; n < 40; n += 1)
      putMessage(db, `row-${n}`, {
        content:
          n % 9 === 0 ? "long line of words\n".repeat(30) : `**Nummer** ${n} mit [Link](https://a.example)`,
        channel: n % 3 === 0 ? "task" : "ask",
        taskId: n % 3 === 0 ? `t${n}` : null,
        status: (["delivered", "delivered", "failed", "timeout", "denied"] as const)[n % 5] ?? "delivered",
        occurredAt: at(n * 400_000),
        ...(n % 2 === 0 ? {} : { fromAgentId: "knower", toAgentId: "asker" }),
      });
    putMessage(db, "person", { toAgentId: "@human", content: "Bitte freigeben", occurredAt: at(0) });
  });

  const states: readonly (readonly [string, string, (page: Page) => Promise<unknown>, typeof wide])[] = [
    ["the list", "/communication", (page) => page.locator("a.pair").first().waitFor(), wide],
    ["the transcript", PAIR, settled, wide],
    ["all of an agent's messages", "/communication?a=asker", settled, wide],
    [
      "nothing that fits",
      `${PAIR}&channel=mail`,
      (page) => page.locator(".conversation .note").waitFor(),
      wide,
    ],
    [
      "filters and a search",
      `${PAIR}&status=failed&since=2026-10-01&find=nummer&search=nummer`,
      searching,
      wide,
    ],
    ["an open filter panel", PAIR, (page) => openPanel(page, "filters"), wide],
    ["an open export panel", PAIR, (page) => openPanel(page, "export"), wide],
    ["the keys", PAIR, openHelp, wide],
    ["the list on a phone", "/communication", (page) => page.locator("a.pair").first().waitFor(), phone],
    ["the transcript on a phone", PAIR, settled, phone],
  ];

  async function searching(page: Page): Promise<void> {
    await settled(page);
    await page.locator(".find-count", { hasText: "/" }).waitFor();
    await page.locator("a.result").first().waitFor();
  }

  async function openPanel(page: Page, name: string): Promise<void> {
    await settled(page);
    await page.locator(`[data-fold-out="${name}"] summary`).click();
  }

  async function openHelp(page: Page): Promise<void> {
    await settled(page);
    await page.getByRole("button", { name: "Keys" }).click();
    await page.locator("dialog[open]").waitFor();
  }

  it.each(states)(
    "has no fault that axe-core finds, in light and dark: %s",
    async (_, path, reach, viewport) => {
      for (const colorScheme of ["light", "dark"] as const) {
        const { page, open } = await stage.come({ colorScheme, viewport });
        await page.emulateMedia({ reducedMotion: "reduce" });
        await open(path);
        await reach(page);
        expect(await axeViolations(page), colorScheme).toEqual([]);
      }
    },
  );

  it("is a feed of named messages that knows their places", async () => {
    const { page, open } = await stage.come();
    await open(PAIR);
    await settled(page);
    const feed = page.getByRole("feed", { name: "Messages between Asker and Knower" });
    expect(await feed.getByRole("article").count()).toBe(40);
    const last = feed.getByRole("article").last();
    expect(await last.getAttribute("aria-posinset")).toBe("40");
    expect(await last.getAttribute("aria-setsize")).toBe("-1");
    await feed
      .getByRole("article", { name: /Knower.*Task/ })
      .first()
      .waitFor();
    expect(await feed.locator('article[tabindex="0"]').count()).toBe(1);
  });
});
