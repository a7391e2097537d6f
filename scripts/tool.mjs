// `npm run tool -- NAME JSON`: one call of a tool with an agent's config, as the agent's model would make it.
import { findTarget } from "./config/target.mjs";
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { instanceOptions } from "./instance/environment.mjs";
import { startInstance } from "./instance/instance.mjs";
import { logToStderr, Problem, runMain } from "./instance/problem.mjs";
import { answers } from "./instance/supervise.mjs";
import { callTool, findAgent } from "./tool/api.mjs";
import { HELP, readToolArguments } from "./tool/arguments.mjs";

const REACH_MS = 2_000;

async function main() {
  const asked = readToolArguments(process.argv.slice(2));
  if (asked === "help") {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  await ensureInstalled(logToStderr);
  const { target, end } = await reachInstance(asked);
  try {
    const agentId = asked.agent ?? (await findAgent(target, asked.name));
    const result = await callTool(target, { ...asked, agentId });
    logToStderr(`${agentId}, ${asked.name}: ${result.outcome} after ${result.durationMs} ms`);
    process.stdout.write(`${result.content}\n`);
    process.exitCode = result.outcome === "ok" ? 0 : 1;
  } finally {
    await end();
  }
}

/** The instance that is meant; one on this machine that does not run is started for the call and ended. */
async function reachInstance({ options }) {
  const target = findTarget(options, process.env);
  const asked = options.url !== undefined || (process.env.PARLEY_URL ?? "") !== "";
  if (target.ok && (asked || (await answers(`${target.url}/api/health`, REACH_MS))))
    return { target, end: async () => undefined };
  if (asked) throw new Problem(target.message);
  logToStderr("No instance runs here; starting one for this call ...");
  const instance = await startInstance({ ...instanceOptions(), port: 0, cron: false });
  return { target: { url: instance.viewerUrl, token: instance.token }, end: () => instance.stop() };
}

runMain(main);
