import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binFolder, nodeBinary, root } from "../instance/paths.mjs";
import { countTests, readReport } from "./report.mjs";

/**
 * One run of vitest.
 * @param args for vitest
 * @param services environment variables that tell the tests where their servers are
 * @param output `live` as it comes, `at the end` in one piece
 * @returns counts as {@link countTests} gives them
 */
export async function runVitest({ args, services, output }) {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(nodeBinary(), [vitest, "run", ...reporters, ...args], {
    cwd: root,
    stdio: output === "live" ? "inherit" : ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...services, PATH: `${binFolder}:${process.env.PATH}` },
  });
  const pieces = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece) => pieces.push(piece));
  const status = await new Promise((settle) => child.once("close", settle));
  process.stdout.write(Buffer.concat(pieces));
  const counts = countTests(readReport(report), status ?? 1);
  rmSync(folder, { recursive: true, force: true });
  return counts;
}
