/** One instance with the office's team and one browser for a file of tests; every visit is watched and closed. */
import { dirname } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Instance } from "../../../scripts/instance/instance.mjs";
import { scratchFolder, startIn } from "../../process/instance.ts";
import { launchBrowser, type Visit, type VisitOptions, visit } from "./browser.ts";
import { writeOffice } from "./office.ts";

interface Office {
  /** A fresh browser of one person, at a path, signed in. Fails the test if the page throws or logs an error. */
  come(path: string, options?: VisitOptions): Promise<Visit>;
  /** A call of the API, JSON in and out. */
  send(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** To be called inside of `describe`. */
export function useOffice(): Office {
  const scratch = scratchFolder();
  let instance: Instance | null = null;
  let browser: Browser | null = null;
  let visits: Visit[] = [];
  beforeAll(async () => {
    const configFile = writeOffice(dirname(scratch.configFile));
    [browser, instance] = await Promise.all([launchBrowser(), startIn(scratch, { configFile })]);
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
  const started = () => {
    if (browser === null || instance === null) throw new Error("The office is not open yet.");
    return { browser, instance };
  };
  return {
    come: async (path, options) => {
      const made = await visit(started().browser, started().instance, options);
      visits.push(made);
      await made.open(path);
      return made;
    },
    send: async (method, path, body) => {
      const { viewerUrl, token } = started().instance;
      const response = await fetch(viewerUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
  };
}
