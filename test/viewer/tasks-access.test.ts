import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { axeViolations } from "./support/axe.ts";
import { executablePath } from "./support/browser.ts";
import { HOSTILE } from "./support/office.ts";
import { useOffice } from "./support/office-suite.ts";

const taskId = (made: unknown) => z.object({ taskId: z.string() }).parse(made).taskId;

/** How far the page can be scrolled sideways, in pixels. */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe.skipIf(executablePath === "")("the taskboard for everybody", () => {
  const office = useOffice();
  const create = async (body: Readonly<Record<string, unknown>>) =>
    taskId(await office.send("POST", "/api/tasks", { description: "Do it.", ...body }));
  /** A card in every column, an overdue one among them. Ids of the person's and of the one in review. */
  const fill = async () => {
    const mine = await create({
      title: "Sign the lease",
      assignee: "@human",
      priority: "urgent",
      dueAt: "2026-01-01T00:00:00Z",
      stages: [
        { title: "Move in", description: "With everything.", assignee: "clerk", acceptance: "Empty boxes." },
      ],
    });
    await create({ title: "Grind", assignee: "miller" });
    const review = await create({ title: "Count the beans", assignee: "clerk", acceptance: "One figure." });
    const blocked = await create({ title: "Call the port", assignee: "@human" });
    await office.send("POST", `/api/tasks/${blocked}/block`, { reason: "Nobody answers." });
    await create({ title: "Write a report", assignee: "@new:clerk" });
    return { mine, review };
  };

  it("has no fault that axe-core finds, in any state, in light and dark", async () => {
    const { mine, review } = await fill();
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await office.come("/tasks", { colorScheme });
      await page.locator('[data-column="done"] .task-card').first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.locator(".task-card .menu-button").first().click();
      await page.getByRole("menuitem").first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      for (const state of [
        "?view=table",
        `?task=${mine}&act=complete`,
        `?task=${review}&act=reject`,
        "?new=1",
      ]) {
        await page.goto(new URL(`/tasks${state}`, page.url()).href);
        await page.locator(".inbox").waitFor();
        await page.locator(".act-form, .create-form, .task-table").first().waitFor();
        if (state === "?new=1") await page.getByRole("button", { name: "Add a stage" }).click();
        expect(await axeViolations(page)).toEqual([]);
      }
      await page.route("**/api/tasks", (route) => route.fulfill({ status: 500, body: "{}" }));
      await page.getByLabel("Title").first().fill("Refused");
      await page.getByLabel("For", { exact: true }).first().selectOption("clerk");
      await page.getByLabel("Description").first().fill("It will be.");
      await page.getByRole("button", { name: "Remove stage 1" }).click();
      await page.getByRole("button", { name: "Create task" }).click();
      await page.getByRole("alert").waitFor();
      expect(await axeViolations(page)).toEqual([]);
    }
  });

  it("is worked with keys alone, and the focus is never lost", async () => {
    await create({ title: "By keys", assignee: "@human" });
    const { page } = await office.come("/tasks?q=by+keys");
    const card = page.locator('[data-column="open"] .task-link', { hasText: "By keys" });
    await card.focus();
    await page.keyboard.press("Enter");
    await page.locator(".panel h2:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".task-link:focus", { hasText: "By keys" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.locator('[data-column="open"] .task-link').first().focus();
    await page.locator('[data-column="open"] .menu-button').first().focus();
    await page.keyboard.press("Enter");
    await page.locator('[role="menuitem"]:focus', { hasText: "Answer" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.locator('[role="menuitem"]:focus', { hasText: "Block" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".menu-button:focus").waitFor();
    await card.focus();
    await page.keyboard.press("e");
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.type("Done by keys.");
    await page.keyboard.press("Control+Enter");
    await page.locator(".panel h2:focus", { hasText: "By keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator('[data-column="done"] .task-link:focus', { hasText: "By keys" }).waitFor();
  });

  it("keeps the focus on a card that others move to another column", async () => {
    const id = await create({ title: "Moved away", assignee: "@human" });
    const { page } = await office.come("/tasks?q=moved");
    await page.locator('[data-column="open"] .menu-button').focus();
    await page.locator('[data-connection="online"]').waitFor();
    await office.send("POST", `/api/tasks/${id}/block`, { reason: "Elsewhere." });
    await page.locator('[data-column="blocked"] .task-link:focus').waitFor();
  });

  it("walks over the board with arrow keys", async () => {
    await create({ title: "Arrow one", assignee: "@human" });
    await create({ title: "Arrow two", assignee: "@human" });
    const done = await create({ title: "Arrow done", assignee: "@human" });
    await office.send("POST", `/api/tasks/${done}/complete`, { result: "Yes." });
    const { page } = await office.come("/tasks?q=arrow");
    await page.locator('[data-column="open"] .task-link', { hasText: "Arrow two" }).focus();
    for (const [key, title] of [
      ["ArrowDown", "Arrow one"],
      ["ArrowRight", "Arrow done"],
      ["ArrowLeft", "Arrow two"],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(".task-link:focus", { hasText: title }).waitFor();
    }
  });

  it("fits a phone: one column at a time, the panel over it, nothing to scroll sideways", async () => {
    const mine = await create({ title: "On the phone", assignee: "@human" });
    const { page } = await office.come("/tasks", { viewport: { width: 360, height: 740 } });
    const tabs = page.locator(".column-tabs");
    await page.locator('[data-column="open"] .task-card').first().waitFor();
    expect(await page.locator(".column:visible").count()).toBe(1);
    await tabs.getByRole("link", { name: "Done" }).click();
    await page.locator('[data-column="done"]:visible').waitFor();
    expect(await page.locator(".column:visible").count()).toBe(1);
    expect(await overflow(page)).toBe(0);
    for (const state of [`?task=${mine}&act=complete`, "?new=1", "?view=table"]) {
      await page.goto(new URL(`/tasks${state}`, page.url()).href);
      await page.locator(".act-form, .create-form, .task-table").first().waitFor();
      expect(await overflow(page)).toBe(0);
      expect(await axeViolations(page)).toEqual([]);
    }
  });

  it("shows hostile words as words, and they break nothing", async () => {
    const long = "Z".repeat(20_000);
    const id = await create({
      title: HOSTILE,
      description: `${HOSTILE}\n${long}`,
      assignee: "@human",
      acceptance: HOSTILE,
    });
    await office.send("POST", `/api/tasks/${id}/comments`, { text: `[x](javascript:alert(1)) ${HOSTILE}` });
    const { page } = await office.come(`/tasks?task=${id}`);
    await page.locator(".history .rich-text").first().waitFor();
    expect(await page.locator(".tasks img, .tasks script, .tasks a[href^='javascript']").count()).toBe(0);
    expect(await page.title()).not.toBe("1");
    expect(await overflow(page)).toBe(0);
    const panel = page.locator(".panel");
    expect(await panel.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });

  it("is filtered by assignee and words, and the link shows the same to others", async () => {
    await create({ title: "Filtered for people", assignee: "@human" });
    await create({ title: "Filtered for the mill", assignee: "miller" });
    const { page } = await office.come("/tasks");
    await page.getByLabel("Search in tasks").fill("filtered");
    await page.getByLabel("Assignee").selectOption("miller");
    await page.locator(".board .task-card", { hasText: "Filtered for the mill" }).waitFor();
    expect(await page.locator(".board .task-card", { hasText: "Filtered for people" }).count()).toBe(0);
    const { page: other } = await office.come(new URL(page.url()).pathname + new URL(page.url()).search);
    await other.locator(".board .task-card", { hasText: "Filtered for the mill" }).waitFor();
    expect(await other.locator(".board .task-card").count()).toBe(1);
    await other.getByLabel("Search in tasks").fill("nothing is called so");
    await other.getByRole("link", { name: "Show all" }).click();
    await other.locator(".board .task-card", { hasText: "Filtered for people" }).waitFor();
  });

  it("loads older finished tasks by the page", async () => {
    for (let count = 0; count < 45; count += 1) {
      const id = await create({ title: `Old ${count}`, assignee: "@human" });
      await office.send("POST", `/api/tasks/${id}/cancel`, {});
    }
    const { page } = await office.come("/tasks?q=old");
    const old = page.locator('[data-column="done"] .task-card', { hasText: "Old " });
    await old.nth(39).waitFor();
    expect(await old.count()).toBe(40);
    await page.locator('[data-column="done"]').getByRole("button", { name: "Load older" }).click();
    await old.nth(44).waitFor();
    await page.locator('[data-column="done"] .task-link:focus').waitFor();
  });

  it("walks in German: from the inbox to the answer", async () => {
    await create({ title: "Unterschreib den Mietvertrag", assignee: "@human" });
    const { page } = await office.come("/tasks", { locale: "de-DE" });
    await page.getByRole("heading", { name: "Wartet auf dich" }).waitFor();
    await page.getByRole("button", { name: "Antworten Unterschreib den Mietvertrag" }).click();
    await page.getByLabel("Deine Antwort oder dein Ergebnis").fill("Unterschrieben.");
    await page.locator(".act-form").getByRole("button", { name: "Antworten" }).click();
    await page
      .locator('[data-column="done"]', { hasText: "Erledigt" })
      .getByText("Unterschreib den")
      .waitFor();
    await page.locator(".history", { hasText: "Unterschrieben." }).waitFor();
    await page.getByRole("link", { name: "Neuer Auftrag" }).click();
    await page.getByLabel("Fällig (Europe/Berlin)").waitFor();
  });
});
