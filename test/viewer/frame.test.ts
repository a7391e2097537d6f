import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { scratchFolder, startIn } from "../process/instance.ts";
import { axeViolations } from "./support/axe.ts";
import { executablePath, launchBrowser, type Visit, type VisitOptions, visit } from "./support/browser.ts";

describe.skipIf(executablePath === "")("the viewer's frame", () => {
  const scratch = scratchFolder();
  let instance: Instance;
  let browser: Browser;
  let visits: Visit[] = [];

  beforeAll(async () => {
    [browser, instance] = await Promise.all([launchBrowser(), startIn(scratch)]);
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
    scratch.remove();
  });
  afterEach(async () => {
    const problems = visits.flatMap((each) => each.problems);
    await Promise.all(visits.map((each) => each.close()));
    visits = [];
    expect(problems).toEqual([]);
  });

  const come = async (options: VisitOptions = {}) => {
    const made = await visit(browser, instance, options);
    visits.push(made);
    return made;
  };
  const online = '[data-connection="online"]';

  it("is signed in behind the ready link, and the token leaves the address", async () => {
    const { page, open } = await come({ signedIn: false });
    await open(`/#token=${encodeURIComponent(instance.token)}`);
    await page.locator(online).waitFor({ state: "attached" });
    expect(page.url()).toBe(`${instance.viewerUrl}/`);
  });

  it("stays signed in over a reload, until one signs out", async () => {
    const { page, open } = await come({ signedIn: false });
    await open(`/#token=${encodeURIComponent(instance.token)}`);
    await page.locator(online).waitFor({ state: "attached" });
    await page.reload();
    await page.locator(online).waitFor({ state: "attached" });
    await page.locator("summary", { hasText: "Settings" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").waitFor();
    await page.reload();
    await page.getByLabel("Token").waitFor();
  });

  it("asks whoever is not signed in for the token, and keeps the place", async () => {
    const { page, open } = await come({ signedIn: false });
    await open("/log");
    await page.getByLabel("Token").fill(instance.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator(online).waitFor({ state: "attached" });
    expect(new URL(page.url()).pathname).toBe("/log");
  });

  it("says that a wrong token was refused, whatever characters it has, and takes the right one", async () => {
    const { page, open } = await come({ signedIn: false });
    for (const wrong of ["wrong-token-0123456789", "schlüssel\u2028✓"]) {
      await open(`/?again=${wrong.length}#token=${encodeURIComponent(wrong)}`);
      await page.getByRole("alert").waitFor();
      expect(await page.getByRole("alert").textContent()).toContain("refused");
    }
    await page.getByLabel("Token").fill(instance.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator(online).waitFor({ state: "attached" });
  });

  it("shows everything to a token that may only read, and says plainly what that may not do", async () => {
    const made = await fetch(`${instance.viewerUrl}/api/tokens`, {
      method: "POST",
      headers: { authorization: `Bearer ${instance.token}` },
      body: JSON.stringify({ name: "onlooker", role: "read" }),
    });
    const { token } = z.object({ token: z.string() }).parse(await made.json());
    const { page, open } = await come({ signedIn: false, locale: "de-DE" });
    await open(`/agents#token=${token}`);
    await page.locator(online).waitFor({ state: "attached" });
    await page.locator("summary", { hasText: "Einstellungen" }).click();
    await page.getByText("onlooker: darf lesen").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Alle anhalten" }).click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toContain("Deine Rolle erlaubt das nicht");
  });

  it("speaks German to a German browser, and the language that was chosen to everybody", async () => {
    const { page, open } = await come({ locale: "de-DE" });
    await open("/");
    await page.getByRole("link", { name: "Kommunikation" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    await page.locator("summary", { hasText: "Einstellungen" }).click();
    await page.getByLabel("Sprache").selectOption("en");
    await page.getByRole("link", { name: "Communication" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
  });

  it("says that the instance is away, and comes back by itself", async () => {
    const { page, open } = await come();
    await open("/");
    await page.locator(online).waitFor({ state: "attached" });
    await page.context().setOffline(true);
    await page.locator('[data-connection="offline"]').waitFor();
    await page.context().setOffline(false);
    await page.locator(online).waitFor({ state: "attached" });
  });

  it("moves the focus to the heading of the view that a link leads to", async () => {
    const { page, open } = await come();
    await open("/");
    await page.locator("main h1").waitFor();
    await page.getByRole("link", { name: "Log" }).click();
    await page.locator("main h1:focus", { hasText: "log" }).waitFor();
    await page.goBack();
    await page.locator("main h1:focus", { hasNotText: "log" }).waitFor();
  });

  it("has no fault that axe-core finds, signed out, in light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, open } = await come({ signedIn: false, colorScheme });
      await open("/");
      await page.getByLabel("Token").waitFor();
      await page.locator("summary").click();
      expect(await axeViolations(page)).toEqual([]);
    }
  });

  it("is served with a policy that lets no foreign script in", async () => {
    for (const path of ["/", "/chain/some.run"]) {
      const response = await fetch(instance.viewerUrl + path);
      const policy = response.headers.get("content-security-policy");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});
