// `npm run tool -- NAME JSON`: one call of a tool with an agent's config, as the agent's model would make it.
import { reachInstance } from "./client/reach.mjs";
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { logToStderr, runMain } from "./instance/problem.mjs";
import { callTool, findAgent } from "./tool/api.mjs";
import { HELP, readToolArguments } from "./tool/arguments.mjs";

async function main() {
  const asked = readToolArguments(process.argv.slice(2));
  if (asked === "help") {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  await ensureInstalled(logToStderr);
  const { target, end } = await reachInstance(asked.options);
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

runMain(main);
