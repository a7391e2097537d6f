import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { executablePath } from "./support/browser.ts";
import { HOSTILE } from "./support/office.ts";
import { useOffice } from "./support/office-suite.ts";

const say = async (page: Page, text: string) => {
  await page.getByLabel("Message").fill(text);
  await page.keyboard.press("Enter");
};
const answer = (page: Page, text: string | RegExp) => page.locator(".answer", { hasText: text });

describe.skipIf(executablePath === "")("a chat with an agent", () => {
  const office = useOffice();

  it("streams the answer, and shows the tool calls with what they were given and what came back", async () => {
    const { page } = await office.come("/agents/speaker");
    await say(page, "ask the clerk");
    await answer(page, "The clerk says: It is handed in.").waitFor();
    expect(await page.getByLabel("Message").inputValue()).toBe("");
    const call = page.locator(".tool-call", { hasText: "ask_agent" });
    await call.locator('[data-status="ok"]').waitFor();
    await call.locator("summary").click();
    await call.getByText('"question":"How much?"').waitFor();
    await call.getByText("It is handed in.").waitFor();
    await page.locator('.turn[data-state="ended"]').waitFor();
    await page.reload();
    await page.locator(".tool-call summary").click();
    await page.locator(".tool-call").getByText('"question":"How much?"').waitFor();
  });

  it("shows a text as it comes, and stops it", async () => {
    const { page } = await office.come("/agents/speaker");
    await say(page, "slow please");
    await answer(page, "slowly slowly").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator('.turn [data-status="cancelled"]').waitFor();
    await page.locator("#chat-message:focus").waitFor();
    expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
  });

  it("goes on while one is elsewhere, and is there again when one comes back, also after a reload", async () => {
    const { page } = await office.come("/agents/speaker");
    await say(page, "slow again");
    await answer(page, "slowly").last().waitFor();
    await page.getByRole("link", { name: "All agents" }).click();
    await page.locator('[data-agent="speaker"] [data-state="running"]').waitFor();
    await page.getByRole("link", { name: "Speaker" }).click();
    await page.locator('.turn[data-state="started"]', { hasText: "slow again" }).waitFor();
    await page.reload();
    await page.locator('.turn[data-state="started"]', { hasText: "slow again" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator('.turn[data-state="ended"]', { hasText: "slow again" }).waitFor();
  });

  it("is the same in every tab", async () => {
    const [one, other] = await Promise.all([office.come("/agents/speaker"), office.come("/agents/speaker")]);
    await other.page.locator('[data-connection="online"]').waitFor();
    await say(one.page, "echo from the first tab");
    await answer(other.page, "You said: from the first tab").waitFor();
    await say(other.page, "echo from the second tab");
    await answer(one.page, "You said: from the second tab").waitFor();
    expect(await answer(one.page, "You said: from the first tab").count()).toBe(1);
  });

  it("has what others asked and ordered too, labelled, and a way to each chain", async () => {
    await office.send("POST", "/api/tasks", { title: "Count", description: "All.", assignee: "clerk" });
    const { page } = await office.come("/agents/clerk");
    const turn = page.locator('.said[data-trigger="task"]');
    await turn.locator("strong", { hasText: "task" }).waitFor();
    await turn.getByRole("link", { name: "Chain" }).click();
    await page.waitForURL("**/chain/**");
  });

  it("begins a new conversation only when one means it", async () => {
    const { page } = await office.come("/agents/buyer");
    await say(page, "hello");
    await answer(page, "A person decides.").waitFor();
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.locator("button:focus", { hasText: "New conversation" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "New conversation" }).click();
    await page.getByText("Nothing has been said yet.").waitFor();
  });

  it("says that the queue is full and when to try again, and keeps the message", async () => {
    const { page } = await office.come("/agents/buyer");
    await page.route("**/chat", (route) =>
      route.fulfill({
        status: 429,
        headers: { "retry-after": "5", "content-type": "application/json" },
        body: JSON.stringify({ error: { code: "queue_full", message: "Full." } }),
      }),
    );
    await say(page, "one too many");
    await page.getByRole("alert").filter({ hasText: "Try again in 5 s" }).waitFor();
    expect(await page.getByLabel("Message").inputValue()).toBe("one too many");
    expect(await page.locator(".turn", { hasText: "one too many" }).count()).toBe(0);
  });

  it("keeps what was typed over another view and a reload, for each agent its own", async () => {
    const { page } = await office.come("/agents/buyer");
    await page.getByLabel("Message").fill("Half a mess");
    await page.getByRole("link", { name: "All agents" }).click();
    await page.getByRole("link", { name: "Miller" }).click();
    await page.getByRole("heading", { name: "Miller" }).waitFor();
    expect(await page.getByLabel("Message").inputValue()).toBe("");
    await page.goBack();
    await page.goBack();
    await page.reload();
    await page.getByLabel("Message").waitFor();
    expect(await page.getByLabel("Message").inputValue()).toBe("Half a mess");
  });

  it("waits while the agent is paused, and says so", async () => {
    await office.send("POST", "/api/agents/buyer/pause");
    const { page } = await office.come("/agents/buyer");
    await page.getByText("what you send waits until it is resumed").waitFor();
    await say(page, "are you there");
    await page.locator('.turn[data-state="queued"]', { hasText: "waits for its turn" }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator('.turn[data-state="ended"]', { hasText: "are you there" }).waitFor();
  });

  it("shows hostile words as words", async () => {
    const { page } = await office.come("/agents/odd");
    await page.goto(new URL("/agents/speaker", page.url()).href);
    await say(page, `echo ${HOSTILE}`);
    await answer(page, "alert(1)").waitFor();
    expect(await page.locator(".turn img, .turn script").count()).toBe(0);
    expect(await page.title()).not.toBe("1");
  });
});
