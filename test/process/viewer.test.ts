import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { scratchFolder, startIn } from "./instance.ts";

const executablePath = process.env.PARLEY_CHROMIUM ?? "";
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

describe.skipIf(executablePath === "")("the first page", () => {
  const scratch = scratchFolder();
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args });
    instance = await startIn(scratch);
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
    scratch.remove();
  });
  beforeEach(async () => {
    page = await browser.newPage({ locale: "en-GB" });
    problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
  });
  afterEach(async () => {
    await page.close();
  });

  const chat = (agentId: string, message: string) =>
    fetch(`${instance.viewerUrl}/api/agents/${agentId}/chat`, {
      method: "POST",
      headers: { authorization: `Bearer ${instance.token}`, "content-type": "application/json" },
      body: JSON.stringify({ message }),
    });
  const stateOf = (state: string) => page.locator(`body[data-state="${state}"]`);
  const open = (fragment: string) => page.goto(`${instance.viewerUrl}/${fragment}`);
  /** With or without messages. */
  const signedIn = () => page.locator('body[data-state="empty"], body[data-state="messages"]');
  const readyFragment = () => `#token=${encodeURIComponent(instance.token)}`;

  it("is signed in behind the ready link, and the token leaves the address", async () => {
    await open(readyFragment());
    await signedIn().waitFor();
    expect(await page.getByRole("status").textContent()).toMatch(/^Signed in/);
    expect(page.url()).toBe(`${instance.viewerUrl}/`);
    expect(problems).toEqual([]);
  });

  it("stays signed in over a reload, until one signs out", async () => {
    await open(readyFragment());
    await signedIn().waitFor();
    await page.reload();
    await signedIn().waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await stateOf("signed-out").waitFor();
    await page.reload();
    await stateOf("signed-out").waitFor();
  });

  it("says that a wrong token was refused, and takes the right one", async () => {
    await open("#token=wrong-token-0123456789");
    await stateOf("refused").waitFor();
    expect(await page.getByRole("alert").textContent()).toContain("refused");
    await page.getByLabel("Token").fill(instance.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await signedIn().waitFor();
  });

  it("shows a message as soon as it is on record, as text and not as HTML", async () => {
    await open(readyFragment());
    await signedIn().waitFor();
    const reply = await chat("asker", "Find out.");
    expect(reply.status).toBe(200);
    const articles = page.getByRole("article");
    await articles.getByText("How many?").waitFor();
    const answer = articles.filter({ hasText: "There are seven." });
    await answer.waitFor();
    expect(await answer.textContent()).toContain("knowertoasker");
  });

  it("speaks German to a German browser", async () => {
    const german = await browser.newPage({ locale: "de-DE" });
    await german.goto(instance.viewerUrl);
    await german.getByRole("button", { name: "Anmelden" }).waitFor();
    expect(await german.locator("html").getAttribute("lang")).toBe("de");
    await german.close();
  });

  it("says that the instance is away, and comes back by itself", async () => {
    await open(readyFragment());
    await signedIn().waitFor();
    await page.context().setOffline(true);
    await stateOf("offline").waitFor();
    await page.context().setOffline(false);
    await signedIn().waitFor();
  });

  it("is served with a policy that lets no foreign script in", async () => {
    const response = await fetch(instance.viewerUrl);
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });
});
