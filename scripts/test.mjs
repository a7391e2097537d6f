// `npm test`: every test, from a fresh clone. Arguments go on to vitest. Ends with one line
// `N passed, N failed, N skipped`; with CI=true a skipped test fails the run.
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { logToStderr, runMain } from "./instance/problem.mjs";
import { addCounts } from "./test/report.mjs";
import { RUNNERS } from "./test/runners.mjs";
import { provideServices } from "./test/services.mjs";
import { runVitest } from "./test/vitest.mjs";

async function main() {
  await ensureInstalled(logToStderr);
  const services = provideServices(logToStderr);
  const total = addCounts(await runAll(process.argv.slice(2), services));
  const skipFails = process.env.CI === "true" && total.skipped > 0;
  if (skipFails) logToStderr("Tests were skipped, which CI=true does not allow.");
  process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
  process.exit(total.failed > 0 || skipFails ? 1 : 0);
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
