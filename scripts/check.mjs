// `npm run check`: types, lint and format, architecture rules, unused code. All of them run, and each says
// what it found; the exit code tells whether all were content.
import { spawnSync } from "node:child_process";
import { checkRepository } from "./check/architecture.mjs";
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { readOptions } from "./instance/options.mjs";
import { binFolder, nodeBinary, packageBin, root } from "./instance/paths.mjs";
import { logToStderr, runMain } from "./instance/problem.mjs";

const HELP = `What holds the code together: types, lint and format, architecture rules, unused code, migrations.

  npm run check

All of them run, and each says what it found; the exit code is 0 when all were content.

Options
  --help  this text
`;

const checks = [
  { heading: "types", run: () => tool("tsc", "--noEmit", "-p", ".") },
  { heading: "types of the viewer", run: () => tool("tsc", "--noEmit", "-p", "ui") },
  { heading: "lint and format", run: () => tool("biome", "check", "--error-on-warnings", ".") },
  { heading: "architecture", run: architecture },
  { heading: "unused code", run: () => tool("knip", "--no-progress") },
  { heading: "migrations", run: () => tool("drizzle-kit", "check") },
];

async function main() {
  if (readOptions(process.argv.slice(2), "npm run check").help) return void process.stdout.write(HELP);
  await ensureInstalled(logToStderr);
  const failed = checks.filter(({ heading, run }) => {
    process.stdout.write(`\n${heading}\n`);
    const content = run();
    process.stdout.write(content ? "  ok\n" : "  failed\n");
    return !content;
  });
  const names = failed.map(({ heading }) => heading).join(", ");
  process.stdout.write(failed.length === 0 ? "\nall checks passed\n" : `\nfailed: ${names}\n`);
  process.exit(failed.length === 0 ? 0 : 1);
}

/** Its output is shown when it fails; warnings fail it where the tool has them. */
function tool(name, ...args) {
  const { status, stdout, stderr } = spawnSync(nodeBinary(), [packageBin(name), ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, PATH: `${binFolder}:${process.env.PATH}` },
  });
  if (status !== 0) process.stdout.write(`${stdout}${stderr}\n`);
  return status === 0;
}

function architecture() {
  const findings = checkRepository(root);
  for (const finding of findings) process.stdout.write(`  ${finding}\n`);
  return findings.length === 0;
}

runMain(main);
