/** `npm run config -- check FILE | push [--remote] FILE | pull` */
import { callConfigApi } from "./config/api.mjs";
import { HELP, readArguments } from "./config/arguments.mjs";
import { loadConfigFile } from "./config/load.mjs";
import { findTarget } from "./config/target.mjs";

const RUN = { check, push, pull, help };

process.exitCode = await main(process.argv.slice(2));

async function main(argv) {
  const asked = readArguments(argv);
  if (!asked.ok) return failure(`${asked.message} See npm run config -- --help`);
  try {
    return await RUN[asked.command](asked);
  } catch (error) {
    return failure(`Unexpected: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function help() {
  console.log(HELP);
  return 0;
}

async function check({ file }) {
  const loaded = loadConfigFile(file);
  if (!loaded.ok) return report(loaded.problems, file);
  if (!process.features.typescript) {
    return failure("This Node cannot read TypeScript. Start it as npm run config, which brings its own.");
  }
  const { secretsIn, validate } = await import("./config/validate.mjs");
  const checked = await validate(loaded.document);
  if (!checked.ok) return report(checked.issues, file);
  warn(checked.warnings);
  console.log(`${file} is good: ${count(checked.agents.length, "agent")}.`);
  const secrets = await secretsIn(checked);
  if (secrets.length > 0) console.log(`The instance needs these secrets: ${secrets.join(", ")}`);
  return 0;
}

async function push({ file, options }) {
  const target = findTarget(options, process.env);
  if (!target.ok) return failure(target.message);
  const loaded = loadConfigFile(file);
  if (!loaded.ok) return report(loaded.problems, file);
  const answer = await callConfigApi(target, loaded.document);
  if (!answer.ok) return answer.issues.length > 0 ? report(answer.issues, file) : failure(answer.message);
  warn(answer.body.warnings ?? []);
  console.log(`${target.url} has the config of ${file}; it is in force at each agent's next run.`);
  return 0;
}

async function pull({ options }) {
  const target = findTarget(options, process.env);
  if (!target.ok) return failure(target.message);
  const answer = await callConfigApi(target);
  if (!answer.ok) return failure(answer.message);
  console.log(JSON.stringify({ instance: answer.body.instance, agents: answer.body.agents }, null, 2));
  return 0;
}

function report(issues, file) {
  for (const issue of issues) console.error(line(issue));
  return failure(`${file} has ${count(issues.length, "problem")}.`);
}

function warn(warnings) {
  for (const warning of warnings) console.error(`warning: ${line(warning)}`);
}

function line({ path, message }) {
  return path === "" ? message : `${path}: ${message}`;
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function failure(message) {
  console.error(message);
  return 1;
}
