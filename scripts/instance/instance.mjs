import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { loadConfig, readConfig } from "./config.mjs";
import { startCron } from "./cron.mjs";
import { shortHash, tryLock } from "./lock.mjs";
import { applyMigrations } from "./migrations.mjs";
import { root } from "./paths.mjs";
import { ensureFree } from "./ports.mjs";
import { logToStderr, Problem } from "./problem.mjs";
import { killMarked } from "./processes.mjs";
import { answers, supervise } from "./supervise.mjs";
import { formatVars, loadVars, openAiSettings, workerVars } from "./vars.mjs";
import { buildViewer, viewerFolder } from "./viewer.mjs";
import { spawnServer } from "./wrangler.mjs";

const CONNECT_MS = 30_000;
const CAUSE_MS = 500;

/**
 * Starts a whole instance on loopback: Worker, viewer and cron, over one state folder. The packages must be
 * installed (`ensureInstalled`). Options and answer are described in `instance.d.mts`.
 */
export async function startInstance(options = {}) {
  const log = options.log ?? logToStderr;
  const config = options.loadConfig === false ? null : await readConfig(options.configFile);
  const stateDir = prepareStateDir(options.stateDir ?? join(root, ".wrangler", "state"));
  const context = {
    log,
    config,
    stateDir,
    mark: `parley-${shortHash(stateDir)}`,
    registry: join(stateDir, "registry"),
    workerConfig: options.workerConfig ?? join(root, "wrangler.toml"),
  };
  // Before the port is tried: an instance that already runs here is the likely reason that it is taken.
  const lock = await lockState(context);
  try {
    await ensureFree(options.port ?? 0);
    return await startLocked(context, options, lock);
  } catch (error) {
    await killMarked(context.mark);
    await lock.release();
    throw error;
  }
}

function prepareStateDir(path) {
  try {
    mkdirSync(resolve(path), { recursive: true });
  } catch (error) {
    throw new Problem(`The folder ${path} cannot be made (${error.code}). Set STATE_DIR to another one.`);
  }
  return realpathSync(path);
}

/** One instance at a time may use a state folder; what a killed one left running is ended here. */
async function lockState(context) {
  const lock = await tryLock(context.stateDir);
  if (lock === null) {
    const name = relative(process.cwd(), context.stateDir) || ".";
    throw new Problem(
      `Another instance runs on ${name}. End it (Ctrl-C where it was started), or give this one a place of ` +
        "its own: STATE_DIR=another/folder and PORT=0.",
    );
  }
  await killMarked(context.mark);
  rmSync(context.registry, { recursive: true, force: true });
  return lock;
}

async function startLocked(context, options, lock) {
  const vars = await loadVars(options.varsFile, context.log);
  const openAi = openAiSettings(vars);
  await Promise.all([applyMigrations(context), buildViewer(context.log)]);
  const end = endSignal();
  // Side by side: each takes seconds, and the viewer finds the Worker whenever it comes.
  const servers = await startAll([
    startWorker(context, workerVars(vars, openAi), end.give),
    startViewer(context, options.port ?? 0, end.give),
  ]);
  const [worker, viewer] = servers;
  const workerUrl = `http://127.0.0.1:${worker.port}`;
  try {
    const target = { ...context, workerUrl, token: vars.API_TOKEN, openAi };
    const viewerUrl = `http://127.0.0.1:${viewer.port}`;
    await Promise.race([makeUsable(target, viewerUrl), ...servers.map(failOnCodeFault)]);
    const stopCron = options.cron === false ? () => {} : startCron(workerUrl, context.log);
    const ends = endings({ context, lock, servers, stopCron });
    const { stateDir } = context;
    return { workerUrl, viewerUrl, token: vars.API_TOKEN, stateDir, ended: end.reason, ...ends };
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop()));
    throw error;
  }
}

async function makeUsable(target, viewerUrl) {
  try {
    if (target.config !== null) await loadConfig(target, target.config);
    await connected(viewerUrl);
  } catch (error) {
    // The cause may still be on its way through wrangler's output.
    await wait(CAUSE_MS);
    throw error;
  }
}

/** A server whose code is at fault is ready like others, and what is asked of it comes to nothing. */
async function failOnCodeFault({ codeFault }) {
  throw await codeFault;
}

/** All of them, or none: one that could not start ends the others. */
async function startAll(starting) {
  const started = await Promise.allSettled(starting);
  const failed = started.find(({ status }) => status === "rejected");
  if (failed === undefined) return started.map(({ value }) => value);
  await Promise.all(started.map(({ value }) => value?.stop()));
  throw failed.reason;
}

function endSignal() {
  let give;
  const reason = new Promise((settle) => {
    give = settle;
  });
  return { reason, give };
}

function endings({ context, lock, servers, stopCron }) {
  const finish = (endServers) => async () => {
    stopCron();
    await endServers();
    await killMarked(context.mark);
    await lock.release();
  };
  return {
    stop: finish(() => Promise.all(servers.map((server) => server.stop()))),
    kill: finish(() => {
      for (const server of servers) server.abandon();
    }),
  };
}

function startWorker(context, vars, onGiveUp) {
  context.log("starting Worker and viewer ...");
  return supervise({
    name: "worker",
    port: 0,
    healthPath: "/api/health",
    log: context.log,
    onGiveUp,
    start: (port) => spawnWorker(context, vars, port),
  });
}

/**
 * Secrets reach wrangler in a private file outside the state folder that is removed as soon as it has been
 * read; a command line or a variable of the process could be seen by others. Naming the file also keeps
 * wrangler from reading `.dev.vars`.
 */
function spawnWorker(context, vars, port) {
  rmSync(join(context.registry, "parley"), { force: true });
  const folder = mkdtempSync(join(tmpdir(), "parley-"));
  const varsFile = join(folder, "vars");
  writeFileSync(varsFile, formatVars(vars), { mode: 0o600 });
  const worker = spawnServer({
    ...context,
    name: "worker",
    cwd: root,
    mark: `${context.mark}-worker`,
    args: [
      "dev",
      "--config",
      context.workerConfig,
      "--env-file",
      varsFile,
      "--local",
      ...serving(context, port),
    ],
  });
  removeWhenRead(folder, worker.ready);
  return worker;
}

function removeWhenRead(folder, ready) {
  const remove = () => {
    process.off("exit", remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", remove);
  ready.then(remove, remove);
}

function startViewer(context, wantedPort, onGiveUp) {
  return supervise({
    name: "viewer",
    port: wantedPort,
    healthPath: "/",
    log: context.log,
    onGiveUp,
    start: (port) =>
      spawnServer({
        ...context,
        name: "viewer",
        cwd: viewerFolder,
        mark: `${context.mark}-viewer`,
        args: ["pages", "dev", ...serving(context, port)],
      }),
  });
}

/** Loopback only, and any inspector port, so that instances do not meet. */
function serving(context, port) {
  const address = ["--ip", "127.0.0.1", "--port", String(port), "--inspector-port", "0"];
  return [
    ...address,
    "--persist-to",
    context.stateDir,
    "--log-level=warn",
    "--show-interactive-dev-session=false",
  ];
}

/** Waits until the viewer reaches the Worker: it learns the address a moment after both are up. */
async function connected(viewerUrl) {
  const until = Date.now() + CONNECT_MS;
  while (!(await answers(`${viewerUrl}/api/health`, CONNECT_MS))) {
    if (Date.now() > until) throw new Problem("The viewer does not reach the Worker. Start again.");
    await wait(100);
  }
}
