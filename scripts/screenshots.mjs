// `npm run screenshots`: the README's pictures, taken from the demo team at work. Needs Chromium.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { apiOf } from "./demo/api.mjs";
import { isQuiet } from "./demo/quiet.mjs";
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { startInstance } from "./instance/instance.mjs";
import { root } from "./instance/paths.mjs";
import { logToStderr, Problem, runMain } from "./instance/problem.mjs";
import { provideServices } from "./test/services.mjs";

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const READ_EVERY_MS = 300;
const SETTLE_MS = 500;
/** Work may pass from one to the next between two readings: only what stays quiet is quiet. */
const QUIET_READINGS = 3;

/** @param rootRunId of the demo's chain */
const shots = (rootRunId) => [
  ["communication-light", "/communication?a=assistant&b=bookkeeping", "light", DESKTOP],
  ["communication-dark", "/communication?a=assistant", "dark", DESKTOP],
  ["chain", `/chain/${encodeURIComponent(rootRunId)}`, "light", DESKTOP],
  ["tasks", "/tasks", "light", DESKTOP],
  ["insight", "/insight?days=7", "light", DESKTOP],
  ["phone", "/communication?a=assistant&b=warehouse", "light", PHONE],
];

async function main() {
  await ensureInstalled(logToStderr);
  const executablePath = provideServices(logToStderr).PARLEY_CHROMIUM;
  if (executablePath === undefined) throw new Problem("Chromium is missing; install it and start again.");
  const folder = mkdtempSync(join(tmpdir(), "parley-pictures-"));
  const varsFile = join(folder, "vars");
  writeFileSync(varsFile, 'API_TOKEN="pictures-token-0123456789"\nOPENAI_API_KEY=""\n', { mode: 0o600 });
  const instance = await startInstance({ stateDir: join(folder, "state"), varsFile, cron: false });
  try {
    const rootRunId = await play(apiOf(instance));
    await photograph(instance, { executablePath, rootRunId });
  } finally {
    await instance.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The demo's instruction in English, up to what a person has to decide. @returns the chain's root */
async function play(api) {
  const { en } = JSON.parse(readFileSync(join(root, "demo", "instruction.json"), "utf8"));
  const { rootRunId } = await api.post("/api/agents/assistant/chat", { message: en });
  for (let quiet = 0; quiet < QUIET_READINGS; ) {
    await wait(READ_EVERY_MS);
    const chain = await api.get(`/api/chains/${encodeURIComponent(rootRunId)}`);
    quiet = isQuiet({ chain, agents: await api.get("/api/agents") }) ? quiet + 1 : 0;
  }
  return rootRunId;
}

async function photograph(instance, { executablePath, rootRunId }) {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const target = join(root, "docs", "pictures");
  mkdirSync(target, { recursive: true });
  for (const [name, path, colorScheme, viewport] of shots(rootRunId)) {
    const context = await browser.newContext({
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      colorScheme,
      viewport,
    });
    const page = await context.newPage();
    await page.addInitScript((token) => sessionStorage.setItem("parley-token", token), instance.token);
    await page.goto(instance.viewerUrl + path);
    await page.waitForSelector('[data-connection="online"]', { state: "attached" });
    await page.waitForSelector("main:not(:has(.loading)) h1", { state: "attached" });
    // What was loaded is painted with the next frames.
    await wait(SETTLE_MS);
    await page.screenshot({ path: join(target, `${name}.png`) });
    logToStderr(`docs/pictures/${name}.png`);
    await context.close();
  }
  await browser.close();
}

runMain(main);
