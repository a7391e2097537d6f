// `npm run demo`: the instance of `npm start` plus one instruction to the demo team, followed to its end.
// Exit code 0 only when the demo reached its end.
import { HELP, readArguments } from "./demo/arguments.mjs";
import { playDemo } from "./demo/play.mjs";
import { createScreen } from "./demo/screen.mjs";
import { textsIn } from "./demo/texts.mjs";
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { instanceOptions } from "./instance/environment.mjs";
import { startInstance } from "./instance/instance.mjs";
import { logToStderr, Problem, runMain } from "./instance/problem.mjs";
import { endAtOnceOnSignal } from "./instance/signals.mjs";

const INTERRUPTED = 130;

async function main() {
  const asked = readArguments(process.argv.slice(2), process.env);
  if (asked === "help") return void process.stdout.write(HELP);
  const { language, keep } = asked;
  const started = endAtOnceOnSignal();
  await ensureInstalled(logToStderr);
  const instance = await startInstance(instanceOptions());
  const signalled = started();
  const stage = { instance, screen: createScreen(process.stdout), texts: textsIn(language), language };
  const broken = instance.ended.then((reason) => new Problem(`${reason} Its messages stand above.`));
  try {
    const outcome = await Promise.race([play(stage), signalled.then(() => INTERRUPTED), broken]);
    if (outcome instanceof Problem) throw outcome;
    process.exitCode = outcome;
    if (outcome !== INTERRUPTED && keep) await stayUp(stage, signalled);
  } finally {
    await instance.stop();
  }
  if (process.exitCode !== INTERRUPTED && !keep) sayStopped(stage);
  process.exit();
}

/** @returns the exit code */
async function play(stage) {
  const { screen, texts } = stage;
  const missing = await playDemo(stage);
  if (missing === null) return 0;
  screen.heading(screen.paint("red", texts.notReached(missing)));
  return 1;
}

async function stayUp({ instance, screen, texts }, signalled) {
  screen.heading(texts.keeps);
  const reason = await Promise.race([signalled.then(() => null), instance.ended]);
  if (reason !== null) throw new Problem(`${reason} Its messages stand above.`);
}

function sayStopped({ screen, texts }) {
  screen.line();
  screen.paragraph(texts.stopped(startCommand()), 0);
  screen.paragraph(texts.orKeep, 0);
}

/** With the settings that lead to the same instance. */
function startCommand() {
  const names = ["STATE_DIR", "PORT", "PARLEY_CONFIG", "PARLEY_VARS"].filter((name) => process.env[name]);
  return [...names.map((name) => `${name}=${process.env[name]}`), "npm start"].join(" ");
}

runMain(main);
