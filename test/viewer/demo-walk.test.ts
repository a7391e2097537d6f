import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { scratchFolder, startIn } from "../process/instance.ts";
import { executablePath, launchBrowser, visit } from "./support/browser.ts";

const root = join(import.meta.dirname, "..", "..");
const instructions = z
  .object({ en: z.string(), de: z.string(), person: z.object({ en: z.string(), de: z.string() }) })
  .parse(JSON.parse(readFileSync(join(root, "demo", "instruction.json"), "utf8")));

const WALKS = [
  {
    language: "en",
    locale: "en-GB",
    pair: /Front desk.*Shipping/,
    status: "timed out",
    chain: "Chain",
    cost: /^at least US\$0\.\d+/,
    tasks: "Tasks of this chain",
    task: "Approve the discount for early payment",
    answer: "Answer",
    field: "Your answer or result",
    people: /People.*Front desk/,
  },
  {
    language: "de",
    locale: "de-DE",
    pair: /Front desk.*Shipping/,
    status: "Zeit überschritten",
    chain: "Vorgang",
    cost: /^mindestens 0,\d+/,
    tasks: "Aufträge dieses Vorgangs",
    task: "Skonto",
    answer: "Antworten",
    field: "Deine Antwort oder dein Ergebnis",
    people: /Menschen.*Front desk/,
  },
] as const;

describe.skipIf(executablePath === "")("a walk through the demo", () => {
  const scratch = scratchFolder();
  let instance: Instance;
  let browser: Browser;

  beforeAll(async () => {
    const configFile = join(root, "demo", "config.json");
    [browser, instance] = await Promise.all([launchBrowser(), startIn(scratch, { configFile })]);
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
    scratch.remove();
  });

  it.each(WALKS)(
    "in $locale: from the first message that appears to the result of what a person answered",
    async (words) => {
      const { page, problems, open, close } = await visit(browser, instance, { locale: words.locale });
      await open("/");
      await page.locator('[data-connection="online"]').waitFor({ state: "attached" });
      const headers = { authorization: `Bearer ${instance.token}`, "content-type": "application/json" };
      const instructed = fetch(`${instance.workerUrl}/api/agents/assistant/chat`, {
        method: "POST",
        headers,
        body: JSON.stringify({ message: instructions[words.language] }),
      });
      // Messages appear while the team is at work.
      await page.getByRole("link", { name: words.pair }).first().click();
      const failed = page.locator('article[data-status="timeout"]').last();
      await failed.locator(".trouble", { hasText: words.status }).waitFor();
      expect(await failed.locator(".text").textContent()).toContain("5 s");
      expect((await instructed).ok).toBe(true);
      // Its chain, what it has cost, and the task in it that waits for a person.
      await failed.hover();
      await failed.getByRole("link", { name: words.chain, exact: true }).click();
      await page.getByText(words.cost).first().waitFor();
      const task = page.locator(".chain-tasks a", { hasText: words.task }).first();
      await task.waitFor({ state: "attached" });
      if (!(await task.isVisible())) await page.getByText(words.tasks).click();
      await task.click();
      await page.getByRole("button", { name: words.answer, exact: true }).first().click();
      await page.getByLabel(words.field).fill(instructions.person[words.language]);
      await page.getByRole("button", { name: words.answer, exact: true }).last().click();
      await page.locator("nav .badge").waitFor({ state: "detached" });
      // The answer is on record, and the agent that waited for it has gone on.
      await open("/communication");
      await page.getByRole("link", { name: words.people }).first().click();
      await page.locator("article", { hasText: instructions.person[words.language] }).last().waitFor();
      expect(problems).toEqual([]);
      await close();
    },
  );
});
