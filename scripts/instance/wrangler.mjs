import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { lookForCodeFault } from "./code-fault.mjs";
import { childEnvironment, nodeBinary, root } from "./paths.mjs";
import { Problem } from "./problem.mjs";
import { killMarked, markName } from "./processes.mjs";

const wranglerCli = join(root, "node_modules", "wrangler", "wrangler-dist", "cli.js");
const followParent = pathToFileURL(join(root, "scripts", "instance", "follow-parent.mjs")).href;
/** That crons have to be fired by hand: `cron.mjs` does it. */
const cronAdvice =
  /Scheduled Workers are not auto|manually trigger a scheduled|cdn-cgi\/local\/scheduled|test-cron-triggers/;
/** That a stand-in for one of the MongoDB driver's packages has no default export: nothing imports that. */
const aliasAdvice =
  /\[import-is-undefined\]|required-unenv-alias:whatwg-url|"default" in esm \? esm\.default|^\s*╵\s*~+$/;
const READY_MS = 90_000;
const STOP_MS = 5_000;

/**
 * Starts a wrangler server in our process group, without the launcher process that its own bin would add.
 * @param options `name` (prefix of its output lines), `args`, `cwd`, `mark`, `registry`, `log`, and `program` where it
 *   is not wrangler's own command that is run
 * @returns `ready` (its port), `codeFault` (a Problem, once its code cannot be started), `exited`, `stop()`
 */
export function spawnServer(options) {
  let stopping = false;
  // What a server says while it is being stopped, such as a bundler cut off in its work, helps nobody.
  const log = (line) => stopping || options.log(line);
  const fault = lookForCodeFault(options.name);
  const child = spawnWrangler({ ...options, log, see: fault.see }, ["--import", followParent], ["ipc"]);
  const exited = whenExited(child);
  return {
    exited,
    ready: readyPort(child, options.name, fault),
    codeFault: fault.found,
    stop: () => {
      stopping = true;
      return stopChild(child, exited, options.mark);
    },
  };
}

/** Runs a wrangler command to its end; its exit code must be 0. Options as for {@link spawnServer}. */
export async function runWrangler(options) {
  const lines = [];
  const child = spawnWrangler({ ...options, log: (line) => lines.push(line) }, [], []);
  const { code } = await whenExited(child);
  if (code !== 0) throw new Problem(`wrangler ${options.args.join(" ")} failed:\n${lines.join("\n")}`);
}

function spawnWrangler(options, nodeArgs, channels) {
  const command = ["--no-warnings", ...nodeArgs, options.program ?? wranglerCli, ...options.args];
  const child = spawn(nodeBinary(), command, {
    cwd: options.cwd,
    stdio: ["ignore", "pipe", "pipe", ...channels],
    env: childEnvironment({
      [markName]: options.mark,
      WRANGLER_REGISTRY_PATH: options.registry,
      // The vars file is gone once wrangler is up, so a changed wrangler.toml needs a new start.
      WRANGLER_CI_DISABLE_CONFIG_WATCHING: "true",
    }),
  });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (raw) => {
      const line = stripVTControlCharacters(raw).trimEnd();
      if (line === "") return;
      options.see?.(line);
      if (!cronAdvice.test(line) && !aliasAdvice.test(line)) options.log(`${options.name}: ${line}`);
    });
  }
  return child;
}

const whenExited = (child) => once(child, "exit").then(([code, signal]) => ({ code, signal }));

/** The port, as wrangler tells its parent when it serves. */
function readyPort(child, name, fault) {
  const port = new Promise((settle, reject) => {
    const timer = setTimeout(
      () =>
        reject(
          new Problem(`The ${name} did not start within ${READY_MS / 1000} s; its messages stand above.`),
        ),
      READY_MS,
    );
    child.once("exit", (code) => {
      clearTimeout(timer);
      const ended = `The ${name} ended at its start (exit code ${code}); its messages stand above.`;
      reject(fault.soFar() ?? new Problem(ended));
    });
    fault.found.then((problem) => {
      clearTimeout(timer);
      reject(problem);
    });
    child.on("message", (message) => {
      const event = readEvent(message);
      if (event?.event !== "DEV_SERVER_READY") return;
      clearTimeout(timer);
      settle(event.port);
    });
  });
  port.catch(() => undefined);
  return port;
}

function readEvent(message) {
  try {
    return typeof message === "string" ? JSON.parse(message) : message;
  } catch {
    return null;
  }
}

async function stopChild(child, exited, mark) {
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
  await exited;
  clearTimeout(timer);
  await killMarked(mark);
}
