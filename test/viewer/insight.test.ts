import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { type Scratch, scratchFolder } from "../process/instance.ts";
import { executablePath, launchBrowser, type Visit, type VisitOptions, visit } from "./support/browser.ts";
import { expectSound } from "./support/chain-stage.ts";
import { HOSTILE, startWithFigures } from "./support/insight-stage.ts";

const PHONE = { width: 390, height: 844 };
const findingsShape = z.object({
  findings: z.array(
    z.object({ id: z.string(), code: z.string(), count: z.number(), messageIds: z.array(z.number()) }),
  ),
});

describe.skipIf(executablePath === "")("the insight view", () => {
  let scratch: Scratch;
  let browser: Browser;
  let instance: Instance;
  let visits: Visit[] = [];
  /** Everything on record, in English: drawing it takes longer than what is looked at there. */
  let whole: Visit;
  beforeAll(async () => {
    scratch = scratchFolder();
    [browser, instance] = await Promise.all([launchBrowser(), startWithFigures(scratch)]);
    whole = await visit(browser, instance, {});
    await whole.open("/insight?days=all&by=model");
    await shown(whole.page);
  });
  afterAll(async () => {
    await whole?.close();
    await browser?.close();
    await instance?.stop();
    scratch?.remove();
  });
  afterEach(async () => {
    const problems = [whole, ...visits].flatMap((each) => each.problems);
    await Promise.all(visits.map((each) => each.close()));
    visits = [];
    expect(problems).toEqual([]);
  });

  async function come(options: VisitOptions = {}): Promise<Visit> {
    const made = await visit(browser, instance, options);
    visits.push(made);
    return made;
  }

  /** Until figures and findings are there. */
  async function open(path: string, options: VisitOptions = {}): Promise<Page> {
    const { page, open: go } = await come(options);
    await go(path);
    await shown(page);
    return page;
  }

  async function shown(page: Page): Promise<void> {
    await page.locator('.insight[aria-busy="false"] .insight-facts').waitFor();
    await page.locator(".insight .loading").waitFor({ state: "detached" });
  }

  async function expectSoundInBoth(page: Page): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectSound(page);
    }
  }

  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`${instance.workerUrl}${path}`, {
      headers: { authorization: `Bearer ${instance.token}` },
    });
    return response.json();
  };
  const fact = (page: Page, name: string) => page.locator(`[data-fact="${name}"]`);
  const figure = (page: Page, name: string) => page.locator(`[data-figure="${name}"]`);

  it("says first how it goes: results, answers, times, cost and what silted up, in English", async () => {
    const { page } = whole;
    await fact(page, "silted").filter({ hasText: "Silted up5" }).waitFor();
    expect(await fact(page, "results").textContent()).toMatch(
      /^Delegations with a result9\d%3\d\d of 3\d\d$/,
    );
    expect(await fact(page, "answerTime").textContent()).toMatch(/median1\d\.\d s95 % within 2\d\.\d s$/);
    // One model has no price: the sum is what it cost at least, and runs without a price are told.
    expect(await fact(page, "cost").textContent()).toMatch(/at least US\$\d+\.\d\d\d+ runs without a price$/);
    const unknown = figure(page, "byModel").locator("tr", { hasText: "local-llm" });
    expect(await unknown.locator("td").nth(1).textContent()).toBe("unknown");
  });

  it("saves each figure as CSV and JSON", async () => {
    const { page } = whole;
    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name, exact: true }).click(),
      ]);
      return { file: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
    };
    const csv = await save('Save "Failures by pair" as CSV');
    expect(csv.file).toBe("pairs.csv");
    expect(csv.text.split("\r\n")[0]).toBe(
      "from,to,requests,responses,messages,delivered,failed,timeout,denied,troubleRate,firstAt,lastAt",
    );
    expect(csv.text).toContain("legal,support,");
    const json = await save('Save "Failures by hour of the day" as JSON');
    expect(z.array(z.object({ hour: z.number() })).parse(JSON.parse(json.text))).toHaveLength(24);
    expect((await save('Save "What stands out" as CSV')).text).toContain("failing_pair:support|legal|ask");
    const figures = await page.locator("[data-figure]").count();
    expect(await page.getByRole("button", { name: /^Save ".+" as CSV$/ }).count()).toBe(figures + 1);
  });

  it("speaks German, with why something is shown and what the cause may be, and is sound on a phone in light and dark", async () => {
    const page = await open("/insight?days=all", { locale: "de-DE" });
    await page.getByRole("heading", { name: "Auswertung" }).waitFor();
    const silted = page.locator('[data-code="silted_task"] .finding').first();
    expect(await silted.textContent()).toMatch(
      /Der Auftrag, den PLplanner an SDSupport desk gegeben hat, ist nicht fertig, und seit \d+ Tagen ist nichts mehr geschehen\./,
    );
    expect(await silted.textContent()).toContain("Wahrscheinliche Ursache:");
    const hour = page.locator('[data-code="failing_hour"]');
    await hour
      .getByText(/Zwischen 03:00 und 03:59 Uhr UTC wurde aus \d+ von \d+ Nachrichten nichts/)
      .waitFor();
    await figure(page, "delegations")
      .getByRole("row", { name: /^versandet 5/ })
      .waitFor();
    await page.setViewportSize(PHONE);
    await expectSoundInBoth(page);
  });

  it("leads from a finding to its conversation at the newest message, to its chain and to its task", async () => {
    const { findings } = findingsShape.parse(await get("/api/findings"));
    const pair = findings.find(({ code }) => code === "failing_pair");
    const { page } = whole;
    const finding = page.locator(`[data-finding="${pair?.id}"]`);
    await finding.getByText(`${pair?.count} of`).first().waitFor();
    await finding.getByRole("link", { name: "Conversation" }).click();
    await page.waitForURL(`**/communication?a=support&b=legal&m=${pair?.messageIds.at(-1)}`);
    await page.locator("[role=feed] article").first().waitFor();
    await page.goBack();
    await shown(page);
    const silted = page.locator('[data-code="silted_task"] .finding').first();
    expect(await silted.getByRole("link", { name: "Task" }).getAttribute("href")).toMatch(/^\/tasks\?task=t/);
    await silted.getByRole("link", { name: "Chain" }).click();
    await page.waitForURL("**/chain/planner.*");
    await page.locator("h1:focus").waitFor();
  });

  it("keeps period, agents and channel in the address, and counts only what fits", async () => {
    const page = await open("/insight");
    const all = await fact(page, "trouble").textContent();
    await page.getByRole("link", { name: "7 days" }).click();
    await page.waitForURL(/days=7/);
    await fact(page, "trouble")
      .filter({ hasNotText: all ?? "" })
      .waitFor();
    await page.getByLabel("Agent A").selectOption("legal");
    await page.getByLabel("Agent B").selectOption("support");
    await page.getByLabel("Channel").selectOption("ask");
    await page.waitForURL("**/insight?days=7&a=legal&b=support&channel=ask");
    await shown(page);
    expect(await figure(page, "pairs").locator("tbody tr").count()).toBeLessThanOrEqual(2);
    expect(await figure(page, "channels").locator("tbody tr").count()).toBeLessThanOrEqual(1);
    await page.getByRole("link", { name: "Remove all filters" }).click();
    await page.waitForURL("**/insight?days=7");
    await page.locator("h1:focus").waitFor();
    const day = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10);
    const own = await open(`/insight?since=${day}&until=${day}`);
    expect(await own.getByLabel("From", { exact: true }).inputValue()).toBe(day);
    expect(await own.locator(".insight-tabs a[aria-current]").count()).toBe(1);
    await figure(own, "series")
      .first()
      .getByText("23:00")
      .or(figure(own, "series").first().getByText("22:00"))
      .first()
      .waitFor();
  });

  it("tells a plot's numbers to the keyboard, has all of them as a table, and is sound in light and dark", async () => {
    const page = await open("/insight");
    const plot = page.getByRole("slider", { name: "Messages over time: choose a step" });
    await plot.focus();
    await page.keyboard.press("Home");
    const told = await plot.getAttribute("aria-valuetext");
    expect(told).toMatch(/20\d\d: \d+/);
    await page.locator(".plot-readout", { hasText: told ?? "?" }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.locator(".plot-readout", { hasText: told ?? "?" }).waitFor({ state: "detached" });
    const hours = figure(page, "hours");
    await hours.getByText("As a table").click();
    expect(await hours.locator("tbody tr").count()).toBe(24);
    await expectSoundInBoth(page);
  });

  it("shows hostile names and texts as text", async () => {
    const page = await open("/insight?days=all&a=stranger&by=model");
    await page.locator(".finding-quote", { hasText: "Is the lighthouse painted already?" }).waitFor();
    await figure(page, "byModel")
      .getByRole("rowheader", { name: /<script>alert\(1\)<\/script>/ })
      .waitFor();
    expect(await page.getByLabel("Agent A").locator("option:checked").textContent()).toBe(HOSTILE);
    expect(await page.title()).not.toBe("1");
    expect(await page.locator("main img, main script").count()).toBe(0);
    await expectSound(page);
  });

  it("tells what is not counted yet, and how far the mirror lags", async () => {
    const counted = z.record(z.string(), z.unknown()).parse(await get("/api/stats"));
    const { page, open: go } = await come();
    await page.route("**/api/stats?*", (route) => route.fulfill({ json: { ...counted, pending: 12 } }));
    const lag = { rows: 1_200, atLeast: false, seconds: 90 };
    const mirror = { target: "m", state: "failing", lag, written: 5, cut: 0, lastAt: null };
    const lastError = `refused ${HOSTILE}`;
    const failingSince = "2026-11-30T10:00:00.000Z";
    await page.route("**/api/mirror", (route) =>
      route.fulfill({ json: { ...mirror, lastError, failingSince } }),
    );
    await go("/insight");
    await page.getByText("12 chains and questions are not counted yet").waitFor();
    const line = page.locator('[data-mirror="failing"]');
    await line.getByText("The mirror fails; 1,200 rows wait.").waitFor();
    expect(await line.textContent()).toContain(lastError);
    expect(await page.locator("main img, main script").count()).toBe(0);
  });

  describe("where there are no figures", () => {
    /** Every question for figures gets this answer. */
    async function withStats(status: number, body: unknown): Promise<Page> {
      const { page, open: go } = await come();
      await page.route("**/api/stats?*", (route) => route.fulfill({ status, json: body }));
      await go("/insight");
      return page;
    }

    it("says when nothing is on record, or nothing in the period, and what to do", async () => {
      const nothing = await get("/api/stats?since=2001-01-01&until=2001-01-02");
      const { page, open: visitIt } = await come();
      await page.route(/\/api\/stats/, (route) => route.fulfill({ json: nothing }));
      await visitIt("/insight");
      await page.getByText("Nothing is on record yet.").waitFor();
      const { page: other, open: go } = await come();
      await go("/insight?since=2001-01-01&until=2001-01-02");
      await other.getByText("Nothing was recorded in this period").waitFor();
      await other.getByRole("link", { name: "Show everything on record" }).click();
      await shown(other);
    });

    it("says that the role does not allow it, without offering to try again", async () => {
      const page = await withStats(403, { error: { code: "forbidden", message: "Not yours." } });
      await page.getByRole("alert").getByText("Your role does not allow this.").waitFor();
      expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
      await expectSound(page);
    });

    it("offers to try again after an error, and shows the figures then", async () => {
      const page = await withStats(500, { error: { code: "internal_error", message: "Broken." } });
      await page.getByRole("alert").waitFor();
      await page.unroute("**/api/stats?*");
      await page.getByRole("button", { name: "Try again" }).click();
      await shown(page);
    });
  });
});
