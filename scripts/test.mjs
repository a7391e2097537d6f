// `npm test`: every test, from a fresh clone. Arguments go on to vitest. Ends with one line
// `N passed, N failed, N skipped`; with CI=true a skipped test fails the run.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { binFolder, nodeBinary, root } from "./instance/paths.mjs";
import { logToStderr, runMain } from "./instance/problem.mjs";
import { addCounts, countTests, readReport } from "./test/report.mjs";
import { provideServices } from "./test/services.mjs";

async function main() {
  await ensureInstalled(logToStderr);
  const services = provideServices(logToStderr);
  const runners = [runVitest];
  const total = addCounts(runners.map((run) => run(process.argv.slice(2), services)));
  const skipFails = process.env.CI === "true" && total.skipped > 0;
  if (skipFails) logToStderr("Tests were skipped, which CI=true does not allow.");
  process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
  process.exit(total.failed > 0 || skipFails ? 1 : 0);
}

function runVitest(args, services) {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const { status } = spawnSync(nodeBinary(), [vitest, "run", ...reporters, ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...services, PATH: `${binFolder}:${process.env.PATH}` },
  });
  const counts = countTests(readReport(report), status ?? 1);
  rmSync(folder, { recursive: true, force: true });
  return counts;
}

runMain(main);
