import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { buildViewer, viewerFolder } from "../../scripts/instance/viewer.mjs";

const KB = 1_000;
const dist = join(viewerFolder, "dist");
const manifestShape = z.record(
  z.string(),
  z.object({ file: z.string(), isEntry: z.boolean().optional(), imports: z.array(z.string()).optional() }),
);

beforeAll(() => buildViewer(() => undefined));

const gzipped = (file: string) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).byteLength;

const manifest = () =>
  manifestShape.parse(JSON.parse(readFileSync(join(dist, ".vite", "manifest.json"), "utf8")));

/** What the browser has loaded before that chunk can run, itself included. */
function needed(...names: readonly string[]): string[] {
  const chunks = manifest();
  const files = new Set<string>();
  const add = (name: string) => {
    const chunk = chunks[name];
    if (chunk === undefined) throw new Error(`There is no chunk ${name}`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const next of chunk.imports ?? []) add(next);
  };
  names.forEach(add);
  return [...files];
}

const size = (files: readonly string[]) => files.reduce((sum, name) => sum + gzipped(name), 0);
const VIEWS = ["communication", "chain", "tasks", "agents", "insight", "log"];

it.each(VIEWS)(
  "sends at most 60 kB of script, gzipped, to whoever opens %s, the renderer of Markdown included",
  (view) => {
    const files = needed("index.html", `src/${view}/page.tsx`, "src/parts/markdown.ts");
    expect(files.length).toBeGreaterThanOrEqual(3);
    expect(size(files)).toBeLessThanOrEqual(60 * KB);
  },
);

it("sends at most 25 kB of it before the first paint", () => {
  expect(size(needed("index.html"))).toBeLessThanOrEqual(25 * KB);
});

// Six views in two languages: the figures brought 17 kB, a fifth of which is what findings say.
it("sends at most 117 kB to whoever opens all of its views", () => {
  const scripts = readdirSync(join(dist, "assets")).filter((name) => name.endsWith(".js"));
  expect(size(scripts.map((name) => join("assets", name)))).toBeLessThanOrEqual(117 * KB);
});

it("has no code, style or address in its page that the policy would have to allow", () => {
  const page = readFileSync(join(dist, "index.html"), "utf8");
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
  expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:|data:|https?:\/\//i);
});
