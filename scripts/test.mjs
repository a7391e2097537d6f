// `npm test`: every test, from a fresh clone. Arguments go on to vitest. Ends with one line
// `N passed, N failed, N skipped`; with CI=true a skipped test fails the run.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { unknownOption } from "./instance/options.mjs";
import { nodeBinary, root } from "./instance/paths.mjs";
import { logToStderr, runMain } from "./instance/problem.mjs";
import { addCounts } from "./test/report.mjs";
import { RUNNERS } from "./test/runners.mjs";
import { provideServices } from "./test/services.mjs";
import { runVitest } from "./test/vitest.mjs";

/** As vitest writes it, and as no option of vitest is called. */
const NO_OPTION = "endOfOptions";
const KNOWN = "--project, --help and the options of vitest: npx vitest run --help";

const HELP = `Every test, or those that the arguments for vitest choose.

  npm test
  npm test -- --project unit test/unit/NAME    one file; projects: unit, runtime, process, viewer, service

Ends with one line: N passed, N failed, N skipped. With CI=true a skipped test fails the run.

Options
  --project NAME  one of the projects
  --help          this text
  and those of vitest: npx vitest run --help
`;

async function main() {
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) return void process.stdout.write(HELP);
  await ensureInstalled(logToStderr);
  refuseUnknown(args);
  const services = provideServices(logToStderr);
  const total = addCounts(await runAll(args, services));
  const skipFails = process.env.CI === "true" && total.skipped > 0;
  if (skipFails) logToStderr("Tests were skipped, which CI=true does not allow.");
  process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
  process.exit(total.failed > 0 || skipFails ? 1 : 0);
}

/**
 * Only vitest itself tells which options it has: it refuses the first one that it does not know, before it does
 * anything. Ours is such a one and comes last, so that nothing is run.
 */
function refuseUnknown(args) {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  if (!args.slice(0, end).some((arg) => arg.startsWith("-"))) return;
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const asked = ["run", ...args.slice(0, end), `--${NO_OPTION}`];
  const { stderr } = spawnSync(nodeBinary(), [vitest, ...asked], { cwd: root, encoding: "utf8" });
  const refused = /Unknown option `-+([^`]+)`/.exec(stderr)?.[1] ?? NO_OPTION;
  if (refused === NO_OPTION) return;
  const name = refused.length > 1 ? `--${refused}` : `-${refused}`;
  throw unknownOption(`Unknown option '${name}'`, "npm test", KNOWN);
}

/** Whoever asks for certain tests gets one runner, and its output as it comes. */
async function runAll(args, services) {
  if (args.length > 0) return [await runVitest({ args, services, output: "live" })];
  logToStderr(
    `${RUNNERS.length} runners side by side. The first one's lines come at once, the others' at their end.`,
  );
  return Promise.all(
    RUNNERS.map((runner, index) =>
      runVitest({ args: runner, services, output: index === 0 ? "live" : "at the end" }),
    ),
  );
}

runMain(main);
