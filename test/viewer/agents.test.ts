import { describe, expect, it } from "vitest";
import { z } from "zod";
import { executablePath } from "./support/browser.ts";
import { useOffice } from "./support/office-suite.ts";

const documentShape = z.looseObject({ name: z.string(), systemPrompt: z.string(), paused: z.boolean() });

/** The machine may be busy; nothing depends on how long it takes. */
const PATIENT = { timeout: 30_000 };

describe.skipIf(executablePath === "")("the agents", () => {
  const office = useOffice();
  const documentOf = async (agentId: string) =>
    documentShape.parse(await office.send("GET", `/api/agents/${agentId}`));

  it("are listed with what they do, and paused and resumed one by one and together", async () => {
    const { page } = await office.come("/agents");
    const clerk = page.locator('[data-agent="clerk"]');
    await clerk.locator('[data-state="idle"]').waitFor();
    await clerk.getByText("scripted model").waitFor();
    await clerk.getByRole("button", { name: "Pause Clerk" }).click();
    await clerk.locator('[data-state="paused"]').waitFor();
    await page.locator("button:focus", { hasText: "Resume" }).click();
    await clerk.locator('[data-state="idle"]').waitFor();
    await page.getByRole("button", { name: "Pause all" }).click();
    await expect.poll(() => page.locator('.agent-card [data-state="paused"]').count(), PATIENT).toBe(5);
    await page.getByRole("button", { name: "Resume all" }).click();
    await expect.poll(() => page.locator('.agent-card [data-state="paused"]').count(), PATIENT).toBe(0);
  });

  it("show that they work, as it begins and ends", async () => {
    const { page } = await office.come("/agents");
    const miller = page.locator('[data-agent="miller"]');
    await page.locator('[data-connection="online"]').waitFor();
    const made = await office.send("POST", "/api/tasks", {
      title: "Grind",
      description: "All.",
      assignee: "miller",
    });
    await miller.locator('[data-state="running"]').waitFor();
    const { taskId } = z.object({ taskId: z.string() }).parse(made);
    await office.send("POST", `/api/tasks/${taskId}/cancel`, {});
    await miller.locator('[data-state="idle"]').waitFor();
  });

  it("tell a person what to know, as it happens", async () => {
    const { page } = await office.come("/agents");
    await page.locator('[data-connection="online"]').waitFor();
    await office.send("POST", "/api/agents/buyer/chat", { message: "decide Sell the old mill?" });
    await page.locator(".notice", { hasText: "Sell the old mill?" }).getByText("task for you").waitFor();
  });

  it("have their common fields changed by a form, and the rest of the document stays", async () => {
    const before = await documentOf("odd");
    const { page } = await office.come("/agents/odd?tab=config");
    await page.getByLabel("System prompt").fill('Be "odd".\nAlways.');
    await page.getByText("Changed and not saved yet.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator("p:focus", { hasText: "Saved." }).waitFor();
    expect(await documentOf("odd")).toEqual({ ...before, systemPrompt: 'Be "odd".\nAlways.' });
  });

  it("have a faulty document refused, each fault with its path and a way to its line", async () => {
    const { page } = await office.come("/agents/clerk?tab=config&as=json");
    const editor = page.getByLabel("Document (JSON)");
    const text = await editor.inputValue();
    await editor.fill(text.replace('"Taskboard"', '"Taskbord"').replace('"steps": 20', '"steps": 0'));
    await page.getByRole("button", { name: "Save" }).click();
    const issue = page.locator(".issues li", { hasText: "limits.steps" });
    await page.locator(".issues li", { hasText: "tools.Taskbord" }).waitFor();
    await issue.getByRole("button", { name: /line \d+/ }).click();
    const selected = await page
      .locator("textarea:focus")
      .evaluate((field) =>
        field instanceof HTMLTextAreaElement
          ? field.value.slice(field.selectionStart, field.selectionEnd)
          : "",
      );
    expect(selected).toContain('"steps": 0');
    await editor.fill("{ no json");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".issues li", { hasText: "Here it stops being JSON." }).getByText("line 1").waitFor();
    await page.getByRole("button", { name: "Discard changes" }).click();
    expect(await editor.inputValue()).toBe(text);
  });

  it("keep unsaved changes over leaving and a reload, and tell of a change made elsewhere", async () => {
    const { page } = await office.come("/agents/buyer?tab=config");
    page.on("dialog", (dialog) => void dialog.accept());
    await page.getByLabel("System prompt").fill("Buy little.");
    await page.getByRole("link", { name: "Chat" }).click();
    await page.getByLabel("Message").waitFor();
    const document = await documentOf("buyer");
    await office.send("PUT", "/api/agents/buyer", { ...document, systemPrompt: "Buy much." });
    await page.getByRole("link", { name: "Config" }).click();
    await page.getByText("Meanwhile the document was changed elsewhere.").waitFor();
    await page.reload();
    expect(await page.getByLabel("System prompt").inputValue()).toBe("Buy little.");
    await page.getByRole("button", { name: "Discard changes" }).click();
    expect(await page.getByLabel("System prompt").inputValue()).toBe("Buy much.");
    expect(await page.getByText("Changed and not saved yet.").count()).toBe(0);
  });

  it("are created and taken out of service again", async () => {
    const { page } = await office.come("/agents");
    await page.getByRole("link", { name: "New agent" }).click();
    await page.getByLabel("Id (letters").fill("clerk");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByText("There is an agent of this id already.").waitFor();
    await page.getByLabel("Id (letters").fill("new one");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.locator(".issues li", { hasText: "agentId" }).waitFor();
    await page.getByLabel("Id (letters").fill("newcomer");
    await page.getByLabel("Name", { exact: true }).fill("Newcomer");
    await page.getByLabel("System prompt").fill("Learn.");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "Newcomer" }).waitFor();
    expect((await documentOf("newcomer")).systemPrompt).toBe("Learn.");
    await page.getByRole("button", { name: "Delete agent" }).click();
    await page.keyboard.press("Escape");
    await page.locator("button:focus", { hasText: "Delete agent" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete agent" }).click();
    await page.locator("h1:focus", { hasText: "Agents" }).waitFor();
    await page.locator('[data-agent="newcomer"]').waitFor({ state: "detached" });
    await expect(documentOf("newcomer")).rejects.toThrow("404");
  });

  it("that are not there are called missing", async () => {
    const { page } = await office.come("/agents/nobody");
    await page.getByText("There is no agent with this id.").waitFor();
  });
});
