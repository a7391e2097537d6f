/** `npm run config -- check FILE | push [--remote] FILE | pull | diff FILE | versions AGENT | rollback AGENT VERSION` */
import { callApi, issueLine } from "./client/call.mjs";
import { isConfirmed } from "./client/confirm.mjs";
import { findTarget } from "./client/target.mjs";
import { HELP, readArguments } from "./config/arguments.mjs";
import { loadConfigFile } from "./config/load.mjs";
import { changeLines } from "./config/show-changes.mjs";

const RUN = { check, push, pull, diff, versions, rollback, help };

const INSTANCE = "instance";

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
  const changes = await callApi(target, "/api/config/diff", { method: "POST", body: loaded.document });
  if (!changes.ok) return refused(changes, file);
  const { changes: shown, unreached = [] } = changes.body;
  // An instance that tells none is an older one.
  if (shown !== undefined && show(shown) === 0 && unreached.length === 0) return 0;
  if (unreached.length > 0) console.log(`Not in force everywhere yet: ${unreached.join(", ")}.`);
  if (!(await isConfirmed(`Write this to ${target.url}?`, options.yes)))
    return failure("Nothing was written.");
  const answer = await callApi(target, "/api/config", { method: "PUT", body: loaded.document });
  if (!answer.ok) return refused(answer, file);
  warn(answer.body.warnings ?? []);
  console.log(`${target.url} has the config of ${file}; it is in force at each agent's next run.`);
  return 0;
}

async function diff({ file, options }) {
  const target = findTarget(options, process.env);
  if (!target.ok) return failure(target.message);
  const loaded = loadConfigFile(file);
  if (!loaded.ok) return report(loaded.problems, file);
  const changes = await callApi(target, "/api/config/diff", { method: "POST", body: loaded.document });
  if (!changes.ok) return refused(changes, file);
  warn(changes.body.warnings ?? []);
  show(changes.body.changes);
  return 0;
}

async function versions({ file: name, options }) {
  const target = findTarget(options, process.env);
  if (!target.ok) return failure(target.message);
  const answer = await callApi(target, `${placeOf(name)}/versions`);
  if (!answer.ok) return failure(answer.message);
  for (const { version, at, actor } of answer.body.versions)
    console.log(`${String(version).padStart(5)}  ${at}  ${actor ?? "-"}`);
  return 0;
}

/** Shows what it changes first, as a push does. */
async function rollback({ file: name, version, options }) {
  const target = findTarget(options, process.env);
  if (!target.ok) return failure(target.message);
  if (!/^[1-9]\d*$/.test(version))
    return failure(`${version} is no version. See npm run config -- versions ${name}`);
  const [kept, config] = await Promise.all([
    callApi(target, `${placeOf(name)}/versions/${version}`),
    callApi(target, "/api/config"),
  ]);
  if (!kept.ok) return failure(kept.message);
  if (!config.ok) return failure(config.message);
  const file = withDocument(config.body, name, kept.body.document);
  const changes = await callApi(target, "/api/config/diff", { method: "POST", body: file });
  if (!changes.ok) return refused(changes, `version ${version}`);
  if (show(changes.body.changes) === 0) return 0;
  if (!(await isConfirmed(`Put version ${version} of ${name} in force?`, options.yes)))
    return failure("Nothing was written.");
  const body = { version: Number(version) };
  const answer = await callApi(target, `${placeOf(name)}/rollback`, { method: "POST", body });
  if (!answer.ok) return refused(answer, `version ${version}`);
  console.log(`Version ${version} of ${name} is in force again, at the next run.`);
  return 0;
}

/** Where a document's versions are. */
function placeOf(name) {
  return name === INSTANCE ? "/api/config" : `/api/agents/${encodeURIComponent(name)}`;
}

function withDocument({ instance, agents }, name, document) {
  if (name === INSTANCE) return { instance: document, agents };
  return { instance, agents: [...agents.filter(({ agentId }) => agentId !== name), document] };
}

/** Answers how many documents differ. */
function show(changes = []) {
  console.log(changes.length === 0 ? "There is nothing to change." : changeLines(changes).join("\n"));
  return changes.length;
}

async function pull({ options }) {
  const target = findTarget(options, process.env);
  if (!target.ok) return failure(target.message);
  const answer = await callApi(target, "/api/config");
  if (!answer.ok) return failure(answer.message);
  console.log(JSON.stringify({ instance: answer.body.instance, agents: answer.body.agents }, null, 2));
  return 0;
}

function refused({ issues, message }, file) {
  return issues.length > 0 ? report(issues, file) : failure(message);
}

function report(issues, file) {
  for (const issue of issues) console.error(issueLine(issue));
  return failure(`${file} has ${count(issues.length, "problem")}.`);
}

function warn(warnings) {
  for (const warning of warnings) console.error(`warning: ${issueLine(warning)}`);
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function failure(message) {
  console.error(message);
  return 1;
}
