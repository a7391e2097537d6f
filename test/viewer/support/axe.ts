import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { z } from "zod";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const shape = z.array(z.string());
/** All that a dark page can do worse than the same page in light, where it is looked at whole. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** What axe-core finds wrong with the page as it is now: one line per element. Empty is good. */
export async function axeViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  const options = { resultTypes: ["violations"], ...(isDark ? { runOnly: COLOUR_RULES } : {}) };
  const found: unknown = await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(
    ({ violations }) => violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => id + ": " + help + ": " + node.target.join(" "))))`);
  return shape.parse(found);
}
