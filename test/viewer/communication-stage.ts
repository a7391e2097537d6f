/** A running instance with rows in its record, and visitors who look at the communication view. */
import type { DatabaseSync } from "node:sqlite";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { z } from "zod";
import { INSERT_MESSAGE } from "../../core/record/insert-statement.ts";
import type { MessageRow } from "../../core/record/rows.ts";
import type { Instance, InstanceOptions } from "../../scripts/instance/instance.mjs";
import { type Scratch, scratchFolder, startIn } from "../process/instance.ts";
import { messageRow } from "../support/record-rows.ts";
import { launchBrowser, type Visit, type VisitOptions, visit } from "./support/browser.ts";
import { openRecord } from "./support/seed.ts";

export const PAIR = "/communication?a=asker&b=knower";

interface Stage {
  instance(): Instance;
  come(options?: VisitOptions): Promise<Visit>;
  /** Ends the instance as a crash would, and starts it again at the same address. */
  kill(): Promise<void>;
  startAgain(): Promise<void>;
}

/** Registers the hooks of a test file. @param seed puts rows into the record before the start */
export function communicationStage(seed: (db: DatabaseSync) => void): Stage {
  let scratch: Scratch;
  let instance: Instance;
  let browser: Browser;
  let visits: Visit[] = [];
  const start = async (options: InstanceOptions = {}) => {
    instance = await startIn(scratch, options);
  };
  beforeAll(async () => {
    scratch = scratchFolder();
    const db = await openRecord(scratch.stateDir);
    seed(db);
    db.close();
    browser = await launchBrowser();
    await start();
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
  return {
    instance: () => instance,
    come: async (options = {}) => {
      const made = await visit(browser, instance, options);
      visits.push(made);
      return made;
    },
    kill: () => instance.kill(),
    startAgain: () => start({ port: Number(new URL(instance.viewerUrl).port) }),
  };
}

/** A row between asker and knower; what `over` leaves out is valid. */
export function putMessage(db: DatabaseSync, uid: string, over: Partial<MessageRow>): void {
  const row = messageRow(uid, { fromAgentId: "asker", toAgentId: "knower", ...over });
  // The statement's parameters are numbered, of which the driver takes the values in order.
  db.prepare(INSERT_MESSAGE.sql).run(...INSERT_MESSAGE.bind(row));
}

/** Tells the asker something: it asks the knower, which makes two messages. */
export async function talk(instance: Instance, message = "Go on."): Promise<void> {
  const response = await fetch(`${instance.workerUrl}/api/agents/asker/chat`, {
    method: "POST",
    headers: { authorization: `Bearer ${instance.token}`, "content-type": "application/json" },
    body: JSON.stringify({ message }),
  });
  expect(response.status).toBe(200);
}

export const rowsOf = (page: Page): Locator => page.locator("[role=feed] article");

/** Until the transcript shows rows and is not loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('[role=feed][aria-busy="false"] article').first().waitFor();
  await frames(page, 5);
}

/** Until so many frames were painted. */
export async function frames(page: Page, count: number): Promise<void> {
  await page.evaluate(
    `new Promise((done) => { let left = ${count}; const frame = () => --left > 0 ? requestAnimationFrame(frame) : done(); requestAnimationFrame(frame); })`,
  );
}

/** Requests for messages and pairs from now on, as path and query. */
export function countRequests(page: Page): { messages: string[]; pairs: string[] } {
  const seen: { messages: string[]; pairs: string[] } = { messages: [], pairs: [] };
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === "/api/messages") seen.messages.push(search);
    if (pathname === "/api/pairs") seen.pairs.push(search);
  });
  return seen;
}

const motion = z.object({
  /** Of the watched row, in pixels below the scroller's top, one per frame. */
  tops: z.array(z.number()),
  /** Frames in which no row was in sight. */
  blank: z.number(),
  mostRows: z.number(),
});

/** Watches, frame by frame, the row that stands in the middle of the transcript. Returns its uid. */
export async function watchMiddle(page: Page): Promise<string> {
  const uid: unknown = await page.evaluate(`(() => {
    const scroller = document.querySelector(".transcript");
    const box = scroller.getBoundingClientRect();
    const middle = box.top + box.height / 2;
    const rows = () => [...scroller.querySelectorAll("article")];
    const row = rows().find((each) => each.getBoundingClientRect().bottom > middle);
    const uid = row.dataset.uid;
    const seen = { tops: [], blank: 0, mostRows: 0 };
    const find = () => scroller.querySelector('article[data-uid="' + CSS.escape(uid) + '"]');
    const frame = () => {
      const now = find();
      if (now) seen.tops.push(now.getBoundingClientRect().top - box.top);
      const all = rows();
      seen.mostRows = Math.max(seen.mostRows, all.length);
      const inSight = (each) => {
        const { top, bottom } = each.getBoundingClientRect();
        return bottom > box.top && top < box.bottom;
      };
      if (!all.some(inSight)) seen.blank += 1;
      window.motion.frame = requestAnimationFrame(frame);
    };
    window.motion = { seen, frame: 0 };
    frame();
    return uid;
  })()`);
  return z.string().parse(uid);
}

/** Ends {@link watchMiddle}. */
export async function watched(page: Page): Promise<z.infer<typeof motion> & { moved: number }> {
  const seen = motion.parse(
    await page.evaluate("(cancelAnimationFrame(window.motion.frame), window.motion.seen)"),
  );
  return { ...seen, moved: Math.max(...seen.tops) - Math.min(...seen.tops) };
}

/** Puts the transcript's scroll position, in pixels from the top, or from the end where negative. */
export async function scrollTo(page: Page, position: number): Promise<void> {
  await page.evaluate(`(() => {
    const scroller = document.querySelector(".transcript");
    scroller.scrollTop = ${position} < 0 ? scroller.scrollHeight - scroller.clientHeight + ${position} : ${position};
  })()`);
}

/** How far the transcript is from its end, in pixels. */
export async function fromEnd(page: Page): Promise<number> {
  return z
    .number()
    .parse(
      await page.evaluate(
        `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector(".transcript"))`,
      ),
    );
}

/** Whether the page or the transcript can be scrolled sideways, or a bubble stands out of its column. */
export async function sidewaysFaults(page: Page): Promise<string[]> {
  return z.array(z.string()).parse(
    await page.evaluate(`(() => {
      const wide = (element) => element.scrollWidth > element.clientWidth + 1;
      const faults = [];
      if (wide(document.documentElement)) faults.push("page");
      const content = document.querySelector(".transcript-content");
      if (content === null) return faults;
      const column = content.getBoundingClientRect();
      if (content.scrollWidth > content.clientWidth + 1) faults.push("transcript");
      for (const bubble of document.querySelectorAll("article")) {
        const { left, right } = bubble.getBoundingClientRect();
        if (left < column.left - 1 || right > column.right + 1) faults.push(bubble.dataset.uid);
      }
      return faults;
    })()`),
  );
}
