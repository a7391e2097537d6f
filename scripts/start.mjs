// `npm start`: a whole instance, until Ctrl-C.
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { instanceOptions } from "./instance/environment.mjs";
import { startInstance } from "./instance/instance.mjs";
import { readOptions } from "./instance/options.mjs";
import { logToStderr, Problem, runMain } from "./instance/problem.mjs";
import { endAtOnceOnSignal } from "./instance/signals.mjs";

const HELP = `Starts a whole instance on this machine, Worker and viewer, until Ctrl-C.

  npm start

Environment
  PORT             the viewer's port; default 8787, 0 picks a free one
  STATE_DIR        all data of the instance; default .wrangler/state
  PARLEY_CONFIG    the config file; default the demo team
  PARLEY_VARS      a file like .dev.vars that is read above it
  OPENAI_API_KEY   with it the demo team thinks for itself; OPENAI_BASE_URL and OPENAI_MODEL go with it

Options
  --help  this text
`;

async function main() {
  if (readOptions(process.argv.slice(2), "npm start").help) return void process.stdout.write(HELP);
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
