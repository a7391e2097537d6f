// `npm start`: a whole instance, until Ctrl-C. Environment: PORT, STATE_DIR, PARLEY_CONFIG, PARLEY_VARS,
// OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL.
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { startInstance } from "./instance/instance.mjs";
import { parsePort } from "./instance/ports.mjs";
import { logToStderr, Problem, runMain } from "./instance/problem.mjs";

const DEFAULT_PORT = 8787;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

async function main() {
  // During the start a signal ends us at once; the servers follow (see follow-parent.mjs).
  const endAtOnce = () => process.exit(130);
  for (const name of signals) process.on(name, endAtOnce);
  await ensureInstalled(logToStderr);
  const { STATE_DIR, PARLEY_CONFIG, PARLEY_VARS, PORT } = process.env;
  const instance = await startInstance({
    port: parsePort(PORT, DEFAULT_PORT),
    ...(STATE_DIR ? { stateDir: STATE_DIR } : {}),
    ...(PARLEY_CONFIG ? { configFile: PARLEY_CONFIG } : {}),
    ...(PARLEY_VARS ? { varsFile: PARLEY_VARS } : {}),
  });
  const signalled = firstSignal();
  for (const name of signals) process.off(name, endAtOnce);
  process.stdout.write(`worker ${instance.workerUrl}\n`);
  process.stdout.write(`ready ${instance.viewerUrl}/#token=${encodeURIComponent(instance.token)}\n`);
  const failure = await Promise.race([signalled, instance.ended]);
  await instance.stop();
  if (failure !== null)
    throw new Problem(`${failure} Its messages stand above; correct the cause and start again.`);
  process.exit(0);
}

function firstSignal() {
  return new Promise((settle) => {
    for (const name of signals) process.once(name, () => settle(null));
  });
}

runMain(main);
