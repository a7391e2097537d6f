// `npm run new-tool -- Name`: a tool that works, with its test, and its line in tools/index.ts.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { childEnvironment, nodeBinary, packageBin, root } from "./instance/paths.mjs";
import { logToStderr, Problem, runMain } from "./instance/problem.mjs";
import { register } from "./new-tool/register.mjs";
import { namesOf, toolSource, toolTest } from "./new-tool/template.mjs";

async function main() {
  await ensureInstalled(logToStderr);
  const names = namesOf(process.argv.slice(2));
  const folder = join(root, "tools", names.folder);
  if (existsSync(folder)) throw new Problem(`tools/${names.folder} exists already.`);
  const index = join(root, "tools", "index.ts");
  const registered = register(readFileSync(index, "utf8"), names);
  mkdirSync(folder);
  writeFileSync(join(folder, "index.ts"), toolSource(names));
  writeFileSync(join(folder, `${names.folder}.test.ts`), toolTest(names));
  writeFileSync(index, registered);
  format([folder, index]);
  process.stdout.write(nextSteps(names));
}

function format(paths) {
  const args = [packageBin("biome"), "check", "--write", "--log-level=error", ...paths];
  const { status } = spawnSync(nodeBinary(), args, { cwd: root, env: childEnvironment(), stdio: "inherit" });
  if (status !== 0) throw new Problem("The new files could not be formatted; the messages stand above.");
}

function nextSteps({ name, folder }) {
  return `tools/${folder}/index.ts       the tool
tools/${folder}/${folder}.test.ts  its test
tools/index.ts          has its line

Next:
  npm test -- tools/${folder}
  give it to an agent:  "tools": { "${name}": {} }
  npm run tool -- ${name} '{"action":"greet","whom":"world"}'
docs/writing-a-tool.md says how to go on.
`;
}

runMain(main);
