// `npm start`: a whole instance, until Ctrl-C. Environment: PORT, STATE_DIR, PARLEY_CONFIG, PARLEY_VARS,
// OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL.
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { instanceOptions } from "./instance/environment.mjs";
import { startInstance } from "./instance/instance.mjs";
import { logToStderr, Problem, runMain } from "./instance/problem.mjs";
import { endAtOnceOnSignal } from "./instance/signals.mjs";

async function main() {
  const started = endAtOnceOnSignal();
  await ensureInstalled(logToStderr);
  const instance = await startInstance(instanceOptions());
  const signalled = started().then(() => null);
  process.stdout.write(`worker ${instance.workerUrl}\n`);
  process.stdout.write(`ready ${instance.viewerUrl}/#token=${encodeURIComponent(instance.token)}\n`);
  const failure = await Promise.race([signalled, instance.ended]);
  await instance.stop();
  if (failure !== null)
    throw new Problem(`${failure} Its messages stand above; correct the cause and start again.`);
  process.exit(0);
}

runMain(main);
