import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { executablePath } from "./support/browser.ts";
import { useOffice } from "./support/office-suite.ts";

const task = z.object({ taskId: z.string(), status: z.string(), result: z.string().nullable() });
const detail = task.extend({
  stages: z.array(z.unknown()),
  priority: z.string(),
  dueAt: z.string().nullable(),
});
const inColumn = (page: Page, column: string, title: string) =>
  page.locator(`[data-column="${column}"] .task-card`, { hasText: title });

/** The machine may be busy; nothing depends on how long it takes. */
const PATIENT = { timeout: 30_000 };

describe.skipIf(executablePath === "")("the taskboard", () => {
  const office = useOffice();
  const create = async (body: Readonly<Record<string, unknown>>) =>
    task.parse(await office.send("POST", "/api/tasks", { description: "Do it.", ...body })).taskId;
  const read = async (taskId: string) => detail.parse(await office.send("GET", `/api/tasks/${taskId}`));
  const reviewed = async (title: string) => {
    const taskId = await create({ title, assignee: "clerk", acceptance: "One figure." });
    await expect.poll(async () => (await read(taskId)).status, PATIENT).toBe("review");
    return taskId;
  };

  it("answers a person's task out of the inbox, and its agent hears of it", async () => {
    await office.send("POST", "/api/agents/buyer/chat", { message: "decide Buy the grinder?" });
    const { page } = await office.come("/tasks");
    await page.locator(".inbox").getByRole("button", { name: "Answer Buy the grinder?" }).click();
    await page.locator("textarea:focus").fill("Yes, the **red** one.");
    await page.locator(".act-form").getByRole("button", { name: "Answer" }).click();
    await inColumn(page, "done", "Buy the grinder?").waitFor();
    await page.locator(".panel h2:focus", { hasText: "Buy the grinder?" }).waitFor();
    await page.locator(".panel strong", { hasText: "red" }).first().waitFor();
    await page.locator(".inbox", { hasNotText: "Buy the grinder?" }).waitFor();
    await page.goto(new URL("/agents/buyer", page.url()).href);
    await page.locator(".answer", { hasText: "So it was decided: Yes" }).waitFor();
  });

  it("blocks a person's task with the reason", async () => {
    const taskId = await create({ title: "Call the port", assignee: "@human" });
    const { page } = await office.come(`/tasks?task=${taskId}`);
    await page.locator(".acts").getByRole("button", { name: "Block" }).click();
    await page.locator("textarea:focus").fill("Nobody answers.");
    await page.keyboard.press("Control+Enter");
    await inColumn(page, "blocked", "Call the port").waitFor();
    await page.locator(".panel-text", { hasText: "Nobody answers." }).first().waitFor();
  });

  it("accepts a result without a word, and rejects one with what is missing", async () => {
    const good = await reviewed("Good count");
    const bad = await reviewed("Bad count");
    const { page } = await office.come("/tasks");
    await page.locator(".inbox").getByRole("button", { name: "Accept Good count" }).click();
    await page.locator(".act-form").getByRole("button", { name: "Accept" }).click();
    await inColumn(page, "done", "Good count").waitFor();
    await page.locator(".inbox").getByRole("button", { name: "Reject Bad count" }).click();
    await page.locator("textarea:focus").fill("Per sort, please.");
    await page.locator(".act-form").getByRole("button", { name: "Reject" }).click();
    await page.locator(".history li", { hasText: "Per sort, please." }).waitFor();
    await page.locator(".panel .facts", { hasText: "rejected 1x" }).waitFor();
    expect((await read(good)).status).toBe("done");
    await expect.poll(async () => (await read(bad)).status, PATIENT).toBe("review");
  });

  it("lets a person decide in the place of an agent that does not review", async () => {
    await office.send("POST", "/api/agents/buyer/chat", { message: "order Count for me" });
    const { page } = await office.come("/tasks");
    await inColumn(page, "review", "Count for me").waitFor();
    await page.locator("summary", { hasText: "Agents review 1 more" }).click();
    await page.locator(".inbox").getByRole("button", { name: "Accept Count for me" }).click();
    await page.locator(".act-form").getByRole("button", { name: "Accept" }).click();
    await inColumn(page, "done", "Count for me").waitFor();
  });

  it("comments on a task and leaves it as it is", async () => {
    const taskId = await create({ title: "Grind", assignee: "miller" });
    const { page } = await office.come(`/tasks?task=${taskId}`);
    await page.locator(".acts").getByRole("button", { name: "Comment" }).click();
    await page.locator("textarea:focus").fill("Coarse, please.");
    await page.locator(".act-form").getByRole("button", { name: "Comment" }).click();
    await page.locator('.history [data-kind="commented"]', { hasText: "Coarse, please." }).waitFor();
    await office.send("POST", `/api/tasks/${taskId}/cancel`, {});
  });

  it("cancels a task and ends the run that works on it", async () => {
    const taskId = await create({ title: "Grind for hours", assignee: "miller" });
    const { page } = await office.come("/tasks");
    await inColumn(page, "running", "Grind for hours").waitFor();
    await inColumn(page, "running", "Grind for hours").getByRole("button").click();
    await page.getByRole("menuitem", { name: "Cancel task" }).click();
    await page.locator(".act-form").getByRole("button", { name: "Cancel task" }).click();
    await inColumn(page, "done", "Grind for hours").waitFor();
    expect((await read(taskId)).status).toBe("cancelled");
  });

  it("says in words why an act was refused, and keeps what was typed", async () => {
    const taskId = await create({ title: "Sign the lease", assignee: "@human" });
    const { page } = await office.come(`/tasks?task=${taskId}&act=complete`);
    await page.locator("textarea:focus").fill("Signed.");
    // Somebody else is faster, and this page does not hear of it.
    await page.route("**/api/live", (route) => route.abort());
    await page.reload();
    await page.locator(".act-form textarea").waitFor();
    expect(await page.locator(".act-form textarea").inputValue()).toBe("Signed.");
    await office.send("POST", `/api/tasks/${taskId}/complete`, { result: "I signed it." });
    await page.locator(".act-form").getByRole("button", { name: "Answer" }).click();
    await page.getByRole("alert").filter({ hasText: "The task has moved on" }).waitFor();
    expect(await page.locator(".act-form textarea").inputValue()).toBe("Signed.");
    expect((await read(taskId)).result).toBe("I signed it.");
  });

  it("keeps a draft over another act, another view and a reload", async () => {
    const taskId = await create({ title: "Draft an answer", assignee: "@human" });
    const { page } = await office.come(`/tasks?task=${taskId}&act=complete`);
    await page.locator("textarea:focus").fill("Half an ans");
    await page.locator(".acts").getByRole("button", { name: "Block" }).click();
    await page.locator(".act-form", { hasText: "Why it cannot be done" }).waitFor();
    expect(await page.locator(".act-form textarea").inputValue()).toBe("");
    await page.getByRole("link", { name: "Log" }).click();
    await page.goBack();
    await page.reload();
    await page.locator(".acts").getByRole("button", { name: "Answer" }).click();
    await page.locator(".act-form", { hasText: "Your answer or result" }).waitFor();
    expect(await page.locator(".act-form textarea").inputValue()).toBe("Half an ans");
  });

  it("creates a task with everything that one can have, in the zone of whoever writes", async () => {
    const { page } = await office.come("/tasks");
    await page.getByRole("link", { name: "New task" }).click();
    await page.getByLabel("Title").first().fill("Count everything");
    await page.getByLabel("For", { exact: true }).first().selectOption("@new:clerk");
    await page.getByLabel("Description").first().fill("All of it.");
    await page.getByLabel("Accepted when").fill("One figure.");
    await page.getByLabel("Priority").selectOption("urgent");
    await page.getByLabel("Due (Europe/Berlin)").fill("2031-06-01T12:00");
    await page.getByRole("button", { name: "Add a stage" }).click();
    const stage = page.locator("fieldset");
    await stage.getByLabel("Title").fill("Sign it");
    await stage.getByLabel("For", { exact: true }).selectOption("@human");
    await stage.getByLabel("Description").fill("By hand.");
    await page.reload();
    await page.getByRole("button", { name: "Create task" }).click();
    await page.locator(".panel h2:focus", { hasText: "Count everything" }).waitFor();
    const made = await read(new URL(page.url()).searchParams.get("task") ?? "");
    expect(made).toMatchObject({ priority: "urgent", dueAt: "2031-06-01T10:00:00.000Z" });
    expect(made.stages).toMatchObject([{ title: "Sign it", assignee: "@human", description: "By hand." }]);
    await page.getByRole("link", { name: "New task" }).click();
    expect(await page.getByLabel("Title").first().inputValue()).toBe("");
  });

  it("says why a task was not created, and keeps the form", async () => {
    const { page } = await office.come("/tasks?new=1");
    await page.getByLabel("Title").first().fill("For nobody");
    await page.getByLabel("For", { exact: true }).first().selectOption("odd");
    await page.getByLabel("Description").first().fill("Nobody is there.");
    await page.getByLabel("Part of task").fill("t-no-such-task");
    await page.getByRole("button", { name: "Create task" }).click();
    await page.getByRole("alert").filter({ hasText: "There is no parent task" }).waitFor();
    expect(await page.getByLabel("Title").first().inputValue()).toBe("For nobody");
  });

  it("shows a new task for a person at once, on every view, and says so", async () => {
    const { page } = await office.come("/log");
    await page.locator('[data-connection="online"]').waitFor();
    const before = Number.parseInt((await page.locator(".badge").textContent()) ?? "0", 10);
    const taskId = await create({ title: "Look at this", assignee: "@human" });
    await page.locator(".badge", { hasText: String(before + 1) }).waitFor();
    await page.getByRole("status").filter({ hasText: "Waits for you: Look at this" }).waitFor();
    await office.send("POST", `/api/tasks/${taskId}/complete`, { result: "Seen." });
    await page.locator(".badge", { hasText: String(before) }).waitFor();
  });

  it("moves cards as things happen, and leaves focus and typed text alone", async () => {
    const taskId = await create({ title: "Write slowly", assignee: "@human" });
    const { page } = await office.come(`/tasks?task=${taskId}&act=complete`);
    await page.locator("textarea:focus").pressSequentially("I am still ");
    await office.send("POST", `/api/tasks/${taskId}/comments`, { text: "Are you there?" });
    await page.locator(".history li", { hasText: "Are you there?" }).waitFor();
    await page.keyboard.type("writing");
    expect(await page.locator("textarea:focus").inputValue()).toBe("I am still writing");
    await office.send("POST", `/api/tasks/${taskId}/block`, { reason: "Taken over." });
    await inColumn(page, "blocked", "Write slowly").waitFor();
    await page.locator(".act-form", { hasText: "As the task is now, this is not possible." }).waitFor();
    expect(await page.locator("textarea:focus").inputValue()).toBe("I am still writing");
  });
});
