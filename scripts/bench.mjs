// `npm run bench`: how fast the product is, as ratios to a floor measured in the same run: a bare Worker and
// Durable Object that make the same model calls and write as many rows. `-- --quick` measures less.
import { FULL, measureCases, measureFlatness, QUICK, warmUp } from "../bench/cases.mjs";
import { caseLine, casesHeading, flatHeading, flatLine, sameWork, verdict } from "../bench/report.mjs";
import { startServers } from "../bench/servers.mjs";
import { prepareSides } from "../bench/sides.mjs";
import { ensureInstalled } from "./instance/bootstrap.mjs";
import { readOptions } from "./instance/options.mjs";
import { logToStderr, runMain } from "./instance/problem.mjs";

const HELP = `How fast the product is: the ratio of its time to that of a bare Worker, measured in the same run.

  npm run bench               takes some minutes; nothing else should run on the machine
  npm run bench -- --quick    measures less

Options
  --quick  fewer rounds
  --help   this text
`;

async function main() {
  const { help, quick } = readOptions(process.argv.slice(2), "npm run bench", { quick: { type: "boolean" } });
  if (help) return void process.stdout.write(HELP);
  await ensureInstalled(logToStderr);
  const size = quick ? QUICK : FULL;
  logToStderr("starting product, floor and model server ...");
  const servers = await startServers(logToStderr);
  try {
    const sides = await prepareSides(servers);
    await report(sides, size);
    sides.close();
  } finally {
    await servers.stop();
  }
  process.exit(0);
}

async function report(sides, size) {
  logToStderr("warming both sides up ...");
  await warmUp(sides, size);
  const before = await sides.counts();
  print(
    "J1: a run with one tool call. J2: a run that asks another agent. Best of the rounds of each side.\n",
  );
  print(casesHeading);
  const cases = await printed(measureCases(sides, size), caseLine);
  print("\n200 turns of one conversation, median latency in milliseconds.\n");
  print(flatHeading);
  const flatness = await printed(measureFlatness(sides, size), flatLine);
  print(`\n${sameWork(before, await sides.counts())}\n\n${verdict(cases, flatness)}`);
}

async function printed(results, line) {
  const all = [];
  for await (const result of results) {
    print(line(result));
    all.push(result);
  }
  return all;
}

const print = (line) => process.stdout.write(`${line}\n`);

runMain(main);
