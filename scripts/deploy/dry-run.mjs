/** All of a deployment that needs no account and no network. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../instance/paths.mjs";
import {
  BUDGET_KIB,
  bundleWithoutDrivers,
  bundleWorker,
  STARTUP_LIMIT_MS,
  startupOf,
  within,
} from "./bundle.mjs";
import { namesOf, ownConfigOf } from "./deployment.mjs";
import { plan } from "./plan.mjs";
import { runSteps } from "./steps.mjs";
import { checkTeam, isGood } from "./team.mjs";
import { fillViewerFolder } from "./viewer-folder.mjs";
import { workerConfig } from "./worker-config.mjs";

/**
 * Checks the config, the Worker's sizes and start, the migrations and the viewer; says what a real run would do.
 * @param context as for `deploy`, without `deployment`; `name`
 * @returns what was measured: `{allToolsKib, withoutDriversKib, startupMs, secrets}`
 */
export async function dryRun(context) {
  const folder = scratch();
  const measured = {};
  try {
    const world = { ...context, folder, measured, target: targetOf(context.name) };
    await runSteps(STEPS, { ...world, changesNothing: true });
    context.log(`\n${plan({ name: context.name, secrets: measured.secrets })}`);
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const STEPS = [
  { title: "config check", run: checkConfig },
  { title: "the Worker's size", run: weigh },
  { title: "the Worker's start", run: start },
  { title: "migrations, on a fresh local database", run: migrate },
  { title: "viewer", run: buildPages },
];

async function checkConfig(world) {
  const team = await checkTeam(world, workerConfig(world.target, world.folder));
  world.measured.secrets = team.secrets;
  return isGood(team);
}

/** The bundles are made side by side. */
async function weigh(world) {
  const [full, lean] = await allEnded([
    bundleWorker(world, world.target, world.folder),
    bundleWithoutDrivers(world, world.folder),
  ]);
  Object.assign(world.measured, { allToolsKib: full, withoutDriversKib: lean });
  return within([
    { what: "all tools, gzip", value: full, limit: BUDGET_KIB.allTools, unit: "KiB" },
    { what: "without drivers, gzip", value: lean, limit: BUDGET_KIB.withoutDrivers, unit: "KiB" },
  ]);
}

async function start(world) {
  world.measured.startupMs = await startupOf(world, world.folder);
  return within([{ what: "busy", value: world.measured.startupMs, limit: STARTUP_LIMIT_MS, unit: "ms" }]);
}

/** As `Promise.all`, but a failure waits for the others: they work in a folder that is removed next. */
async function allEnded(works) {
  await Promise.allSettled(works);
  return Promise.all(works);
}

async function migrate({ wrangler, folder }) {
  const where = ["--local", "--persist-to", join(folder, "state"), "--config", join(folder, "wrangler.json")];
  await wrangler.run(["d1", "migrations", "apply", "DB", ...where]);
  return "applied";
}

async function buildPages({ wrangler, folder, buildViewer, target, log }) {
  const viewerFolder = join(folder, "viewer");
  fillViewerFolder({ names: target.names, viewerFolder });
  await buildViewer((line) => log(`    ${line}`));
  await wrangler.run(["pages", "functions", "build", "--outdir", "functions-out"], { cwd: viewerFolder });
  return "built, and its functions bundle";
}

const targetOf = (name) => ({
  names: namesOf(name),
  ownConfig: ownConfigOf(name),
  accountId: null,
  databaseId: null,
  namespaceId: null,
});

/** Inside the repository, so that copies of the sources find the packages. */
function scratch() {
  const parent = join(root, ".wrangler");
  if (!existsSync(parent)) mkdirSync(parent);
  return mkdtempSync(join(parent, "dry-run-"));
}
