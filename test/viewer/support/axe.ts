import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { z } from "zod";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const shape = z.array(z.string());

/** What axe-core finds wrong with the page as it is now: one line per element. Empty is good. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const found: unknown = await page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(
    ({ violations }) => violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => id + ": " + help + ": " + node.target.join(" "))))`);
  return shape.parse(found);
}
