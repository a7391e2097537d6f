/** A running instance with the chain team, and visitors who look at chains and the log. */
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { z } from "zod";
import type { Instance } from "../../../scripts/instance/instance.mjs";
import { type Scratch, scratchFolder, startIn } from "../../process/instance.ts";
import { axeViolations } from "./axe.ts";
import { launchBrowser, type Visit, type VisitOptions, visit } from "./browser.ts";
import { writeChainTeam } from "./chain-team.ts";
import { openRecord } from "./seed.ts";

const startedShape = z.object({ rootRunId: z.string() });

export interface ChainStage {
  instance(): Instance;
  come(options?: VisitOptions): Promise<Visit>;
  get(path: string): Promise<unknown>;
  /** Tells an agent something; answers the chain's id, at its end or at once. */
  tell(agentId: string, message: string, wait: boolean): Promise<string>;
  /** Gives a task as a person; answers the chain's id. */
  give(title: string, assignee: string): Promise<string>;
}

/** Registers the hooks of a test file. @param seed puts rows into the record before the start */
export function chainStage(seed: (db: DatabaseSync) => void): ChainStage {
  let scratch: Scratch;
  let instance: Instance;
  let browser: Browser;
  let visits: Visit[] = [];
  beforeAll(async () => {
    scratch = scratchFolder();
    const db = await openRecord(scratch.stateDir);
    seed(db);
    db.close();
    const configFile = writeChainTeam(dirname(scratch.varsFile));
    [browser, instance] = await Promise.all([launchBrowser(), startIn(scratch, { configFile })]);
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
    scratch?.remove();
  });
  afterEach(async () => {
    const problems = visits.flatMap((each) => each.problems);
    await Promise.all(visits.map((each) => each.close()));
    visits = [];
    expect(problems).toEqual([]);
  });
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${instance.workerUrl}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${instance.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const rootOf = (answer: unknown) => startedShape.parse(answer).rootRunId;
  return {
    instance: () => instance,
    come: async (options = {}) => {
      const made = await visit(browser, instance, options);
      visits.push(made);
      return made;
    },
    get: (path) => ask(path),
    tell: async (agentId, message, wait) =>
      rootOf(await ask(`/api/agents/${agentId}/runs`, { message, wait })),
    give: async (title, assignee) =>
      rootOf(await ask("/api/tasks", { title, assignee, description: "As always." })),
  };
}

/** Nothing that axe-core finds, and nothing that is wider than the page. */
export async function expectSound(page: Page): Promise<void> {
  expect(await axeViolations(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([0, 0]);
}

/** By how many pixels the page and its view scroll sideways. */
export function tooWide(page: Page): Promise<number[]> {
  return page
    .locator("html, main")
    .evaluateAll((elements) => elements.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
}
