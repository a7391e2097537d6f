import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { axeViolations } from "./support/axe.ts";
import { executablePath } from "./support/browser.ts";
import { useOffice } from "./support/office-suite.ts";

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe.skipIf(executablePath === "")("the agents for everybody", () => {
  const office = useOffice();
  const go = (page: Page, path: string) => page.goto(new URL(path, page.url()).href);

  it("have no fault that axe-core finds, in any state, in light and dark", async () => {
    await office.send("POST", "/api/agents/speaker/chat", { message: "ask the clerk" });
    await office.send("POST", "/api/agents/buyer/chat", { message: "decide Something?" });
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await office.come("/agents", { colorScheme });
      await page.locator(".notice").first().waitFor();
      await page.locator(".agent-card").first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await go(page, "/agents/speaker");
      await page.locator(".tool-call summary").first().click();
      await page.locator(".tool-call dd", { hasText: "question" }).first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole("button", { name: "New conversation" }).click();
      await page.getByRole("dialog").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await go(page, "/agents/speaker?tab=jobs");
      await page.locator(".job").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await go(page, "/agents/speaker?tab=config&as=json");
      await page.getByLabel("Document (JSON)").fill('{ "agentId": "speaker" }');
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator(".issues li").first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole("button", { name: "Discard changes" }).click();
      await go(page, "/agents?new=1");
      await page.getByLabel("System prompt").waitFor();
      expect(await axeViolations(page)).toEqual([]);
    }
  });

  it("fit a phone, nothing to scroll sideways, one running chat included", async () => {
    const { page } = await office.come("/agents", { viewport: { width: 360, height: 740 } });
    await page.locator(".agent-card").first().waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await go(page, "/agents/speaker");
    await page.getByLabel("Message").fill("slow on the phone");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".answer", { hasText: "slowly" }).last().waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator('.turn[data-state="ended"]', { hasText: "slow on the phone" }).waitFor();
    for (const tab of ["config", "config&as=json", "jobs"]) {
      await go(page, `/agents/speaker?tab=${tab}`);
      await page.locator(".config textarea, .job").first().waitFor();
      expect(await overflow(page)).toBe(0);
    }
  });

  it("are reached and talked to with keys alone", async () => {
    const { page } = await office.come("/agents");
    await page.getByRole("link", { name: "Buyer" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("h1:focus", { hasText: "Buyer" }).waitFor();
    await page.getByLabel("Message").focus();
    await page.keyboard.type("one line");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("and another");
    await page.keyboard.press("Enter");
    await page.locator(".said", { hasText: /one line\s*and another/ }).waitFor();
    await page.locator(".answer", { hasText: "A person decides." }).last().waitFor();
    await page.locator("#chat-message:focus").waitFor();
  });

  it("have their schedules run at once, and switched off and on", async () => {
    const { page } = await office.come("/agents/speaker?tab=jobs");
    const job = page.locator('[data-job="morning"]');
    await job.locator("dd", { hasText: "never" }).waitFor();
    await job.getByRole("button", { name: "Run now" }).click();
    await job.getByText("woke the agent, by hand").waitFor();
    await job.getByRole("button", { name: "Switch off" }).click();
    await page.locator('[data-job="morning"][data-enabled="false"]').waitFor();
    await page.locator("button:focus", { hasText: "Switch on" }).click();
    await page.locator('[data-job="morning"][data-enabled="true"]').waitFor();
    await page.getByRole("link", { name: "Chat" }).click();
    await page.locator('.said[data-trigger="schedule"]', { hasText: "Good morning" }).first().waitFor();
  });

  it("are walked through in German: list, chat, config", async () => {
    const { page } = await office.come("/agents", { locale: "de-DE" });
    await page.locator('[data-agent="clerk"]').getByText("Modell nach Drehbuch").waitFor();
    await page.getByRole("button", { name: "Anhalten Clerk" }).click();
    await page.locator('[data-agent="clerk"]').getByText("angehalten").waitFor();
    await page.getByRole("button", { name: "Fortsetzen Clerk" }).click();
    await page.getByRole("link", { name: "Speaker" }).click();
    await page.getByLabel("Nachricht").fill("echo Grüße");
    await page.getByRole("button", { name: "Senden" }).click();
    await page.locator(".answer", { hasText: "You said: Grüße" }).waitFor();
    await page.getByRole("link", { name: "Konfiguration" }).click();
    await page.getByLabel("System-Prompt").fill("Sprich.");
    await page.getByRole("button", { name: "Speichern" }).click();
    await page.locator("p:focus", { hasText: "Gespeichert." }).waitFor();
  });
});
