import { instanceOptions } from "../instance/environment.mjs";
import { startInstance } from "../instance/instance.mjs";
import { logToStderr, Problem } from "../instance/problem.mjs";
import { answers } from "../instance/supervise.mjs";
import { findTarget } from "./target.mjs";

const REACH_MS = 2_000;

/**
 * The instance that is meant, which has to run: for commands that look at one or change it, and must not take
 * another one for it. Whether it answers turns out at the first call.
 * @param options `url`, `token`, `remote`
 * @returns {{url: string, token: string}}
 */
export function runningInstance(options) {
  const target = findTarget(options, process.env);
  if (target.ok) return target;
  throw new Problem(target.message);
}

/**
 * The instance that is meant, for commands that can do with a fresh one; one on this machine that does not run is started for the command and ended.
 * @param options `url`, `token`, and `remote`, which an https address stands for where it is not given
 * @returns {Promise<{target: {url: string, token: string}, end: () => Promise<unknown>}>}
 */
export async function reachInstance(options) {
  const url = options.url ?? process.env.PARLEY_URL ?? "";
  const remote = options.remote ?? url.startsWith("https:");
  const target = findTarget({ ...options, remote }, process.env);
  const asked = remote || url !== "";
  if (target.ok && (asked || (await answers(`${target.url}/api/health`, REACH_MS))))
    return { target, end: async () => undefined };
  if (asked) throw new Problem(target.message);
  logToStderr("No instance runs here; starting one for this command ...");
  const instance = await startInstance({ ...instanceOptions(), port: 0, cron: false });
  return { target: { url: instance.viewerUrl, token: instance.token }, end: () => instance.stop() };
}
