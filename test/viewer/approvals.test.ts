import { writeFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { scratchFolder, startIn } from "../process/instance.ts";
import { axeViolations } from "./support/axe.ts";
import { executablePath, launchBrowser, type VisitOptions, visit } from "./support/browser.ts";

const append = { name: "FileRW", arguments: { action: "append", path: "log.txt", content: "<b>x</b>" } };
const careful = {
  instance: { id: "approvals", timeZone: "UTC" },
  agents: [
    {
      agentId: "careful",
      name: "Careful",
      description: "Asks first.",
      systemPrompt: "Ask first.",
      tools: {
        FileRW: { rootPath: "careful", allowWrite: true, allowedExtensions: [".txt"], approve: ["append"] },
      },
      model: {
        provider: "scripted",
        script: JSON.stringify({
          rules: [
            { when: { user: "/^go/", step: 0 }, calls: [append] },
            { when: { user: "/^go/" }, say: "I wait." },
            { when: { user: "/^Your call/" }, say: "I have heard." },
          ],
        }),
      },
    },
  ],
};

describe.skipIf(executablePath === "")("approvals in the viewer", () => {
  const scratch = scratchFolder();
  let instance: Instance;
  let browser: Browser;

  beforeAll(async () => {
    writeFileSync(scratch.configFile, JSON.stringify(careful));
    [browser, instance] = await Promise.all([launchBrowser(), startIn(scratch)]);
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
    scratch.remove();
  });

  const post = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${instance.token}`, "content-type": "application/json" };
    const response = await fetch(instance.workerUrl + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    expect(response.ok, path).toBe(true);
  };
  const go = () => post("/api/agents/careful/chat", { message: "go" });
  const come = async (options: VisitOptions = {}) => {
    const made = await visit(browser, instance, options);
    await made.open("/agents");
    await made.page.locator('[data-connection="online"]').waitFor({ state: "attached" });
    return made;
  };

  it("appear while one looks, are counted in the navigation, and show what would be done", async () => {
    const { page, problems, close } = await come();
    await page.locator('[data-agent="careful"]').waitFor();
    expect(await page.locator("[data-approval]").count()).toBe(0);
    await go();
    const card = page.locator("[data-approval]");
    await card.waitFor();
    expect(await card.locator("pre").textContent()).toContain('"content": "<b>x</b>"');
    await page.locator("nav .badge", { hasText: "1" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel("What the agent shall hear").fill("only this once");
    await page.getByRole("button", { name: "Approve FileRW of careful" }).click();
    await card.waitFor({ state: "detached" });
    await page.locator("main h1:focus").waitFor();
    await page.locator("nav .badge").waitFor({ state: "detached" });
    await page.goto(`${instance.viewerUrl}/agents/careful?tab=chat`);
    await page.getByText("I have heard.").waitFor();
    await page.getByText("only this once").first().waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("are refused in German, and say so when somebody was quicker", async () => {
    await go();
    const [first, second] = [
      await come({ locale: "de-DE", colorScheme: "dark" }),
      await come({ locale: "de-DE" }),
    ];
    const refuse = { name: "Ablehnen FileRW von careful" };
    await second.page.getByRole("button", refuse).waitFor();
    expect(await axeViolations(first.page)).toEqual([]);
    await first.page.getByRole("button", refuse).click();
    await first.page.locator("[data-approval]").waitFor({ state: "detached" });
    await second.page.getByRole("button", refuse).click();
    await second.page.getByText("Darüber hat schon jemand entschieden.").waitFor();
    await Promise.all([first.close(), second.close()]);
  });
});
