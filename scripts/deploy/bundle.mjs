/** What the Worker weighs, and how long it takes to start. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../instance/paths.mjs";
import { Problem } from "../instance/problem.mjs";
import { writeWorkerConfig } from "./worker-config.mjs";
import { WranglerError } from "./wrangler-command.mjs";

/** KiB after gzip. Cloudflare takes 3 MiB on the free plan and 10 MiB on the paid one; ours are tighter. */
export const BUDGET_KIB = { allTools: 1536, withoutDrivers: 400 };
/** What Cloudflare allows a Worker's global scope: one second. */
export const STARTUP_LIMIT_MS = 1_000;

const UPLOAD = "worker.bundle";
const METAFILE = "bundle-meta.json";
/** It gives up after ten seconds, which a machine with much else to do may need. */
const STARTUP_TRIES = 4;

const SOURCES = ["core", "workers", "durable-objects", "protocols", "package.json", "wrangler.toml"];
/** Packages with which tools, channels, doors and exporters speak to others. What is left is the runtime itself. */
const DRIVERS = [
  "mysql2",
  "mongodb",
  "bson",
  "imapflow",
  "nodemailer",
  "postal-mime",
  "marked",
  "jose",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/server",
  "@a2a-js/sdk",
  "@opentelemetry/otlp-transformer",
];

/** Bundles the Worker as it is deployed, into the folder. @returns KiB after gzip; throws as {@link standInsInPlace} */
export async function bundleWorker({ wrangler }, target, folder) {
  const config = writeWorkerConfig(target, join(folder, "wrangler.json"));
  const metafile = join(folder, METAFILE);
  const files = ["--outfile", join(folder, UPLOAD), "--metafile", metafile];
  const kib = await bundle(wrangler, ["--config", config, ...files]);
  standInsInPlace(JSON.parse(readFileSync(metafile, "utf8")));
  return kib;
}

/** The packages whose parts are left out; not one that lies inside another of theirs. */
const LEFT_OUT_OF = /(?:^|\/)node_modules\/(?:zod|openai)\/(?!.*node_modules\/)/;

/**
 * wrangler's `alias` goes by what an import says, whoever imports it: a file of ours beside another `./compile.js` would get a
 * stand-in. Throws a {@link Problem} that names the importers.
 * @param metafile esbuild's account of a bundle
 */
function standInsInPlace({ inputs }) {
  const stray = Object.entries(inputs).flatMap(([importer, { imports }]) =>
    imports
      .filter(({ path }) => path.includes("workers/left-out/") && !LEFT_OUT_OF.test(importer))
      .map(({ original, path }) => `    ${importer} imports ${original ?? path}`),
  );
  if (stray.length === 0) return;
  throw new Problem(["alias in wrangler.toml replaces what it is not meant for:", ...stray].join("\n"));
}

/** Bundles a copy whose list of tools is empty and whose drivers are stand-ins. @returns KiB after gzip */
export async function bundleWithoutDrivers({ wrangler }, folder) {
  const copy = join(folder, "without-drivers");
  mkdirSync(join(copy, "tools"), { recursive: true });
  for (const source of SOURCES) cpSync(join(root, source), join(copy, source), { recursive: true });
  writeFileSync(join(copy, "tools", "index.ts"), "export const bundledTools = () => [];\n");
  // Of a CommonJS module the bundler lets any name be imported.
  writeFileSync(join(copy, "absent.cjs"), "module.exports = {};\n");
  const aliases = driverImports(copy).flatMap((name) => ["--alias", `${name}:./absent.cjs`]);
  return bundle(
    wrangler,
    ["--config", join(copy, "wrangler.toml"), ...aliases, "--outdir", join(copy, "out")],
    {
      cwd: copy,
    },
  );
}

/** Every way in which the sources import a driver; a stand-in goes by the whole of it, `nodemailer/lib/mime-funcs` too. */
function driverImports(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".ts"));
  const texts = files.map((name) => readFileSync(join(folder, name), "utf8"));
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/(?:from |import\()"([^".][^"]*)"/g)].map(([, found]) => found),
  );
  const isDriver = (name) => DRIVERS.some((driver) => name === driver || name.startsWith(`${driver}/`));
  const drivers = [...new Set(imported.filter(isDriver))];
  // A part of zod that comes along with the rest of it, and with which only a tool reads what servers send.
  return texts.some((text) => text.includes("fromJSONSchema"))
    ? drivers
    : [...drivers, "./from-json-schema.js"];
}

async function bundle(wrangler, args, options) {
  const { text } = await wrangler.run(["deploy", "--dry-run", ...args], options);
  const kib = /gzip: ([\d.]+) KiB/.exec(text)?.[1];
  if (kib === undefined) throw new Problem("wrangler deploy --dry-run did not say how large the Worker is.");
  return Number(kib);
}

/** Milliseconds that this machine is busy with starting the Worker that {@link bundleWorker} left in the folder. */
export async function startupOf({ wrangler }, folder) {
  const args = [
    "check",
    "startup",
    "--worker",
    join(folder, UPLOAD),
    "--outfile",
    join(folder, "startup.cpuprofile"),
  ];
  for (let left = STARTUP_TRIES - 1; ; left -= 1) {
    try {
      const active = /Active: ([\d.]+) ms/.exec((await wrangler.run(args)).text)?.[1];
      if (active === undefined)
        throw new Problem("wrangler check startup did not say how long the start takes.");
      return Number(active);
    } catch (error) {
      if (left === 0 || !(error instanceof WranglerError && /timed out/.test(error.text))) throw error;
    }
  }
}

/** Numbers beside their limits, a line each. Throws a {@link Problem} with all of them where one is over. */
export function within(numbers) {
  const lines = numbers.map(({ what, value, limit, unit }) => `${what}: ${value} ${unit} of ${limit}`);
  const text = lines.join("\n    ");
  if (numbers.some(({ value, limit }) => value > limit)) throw new Problem(`over its limit:\n    ${text}`);
  return text;
}
