import { join, relative, resolve } from "node:path";
import { root } from "./paths.mjs";
import { Problem } from "./problem.mjs";
import { addNotes, hashText, readNotes } from "./state.mjs";

const demoConfig = join(root, "demo", "config.json");
const DEFAULT_MODEL = "gpt-5-mini";
const correct = "Correct the file and start again, or set PARLEY_CONFIG to another one.";

/**
 * Reads the config file, its scenarios included, before anything is started for it.
 * @param configFile path, or undefined for the demo team
 * @returns `{name, document, isOwn}`; throws a Problem with the next step where it cannot be read or parsed
 */
export async function readConfig(configFile) {
  const path = configFile ? resolve(configFile) : demoConfig;
  const name = relative(process.cwd(), path);
  const { loadConfigFile } = await import("../config/load.mjs");
  const loaded = loadConfigFile(path);
  if (!loaded.ok)
    throw new Problem(
      `The config file ${name} cannot be used:\n${formatIssues(loaded.problems)}\n${correct}`,
    );
  return { name, document: loaded.document, isOwn: Boolean(configFile) };
}

/**
 * Loads the config into the instance when the instance has no agents yet or the file (its scenarios
 * included) is not what was last loaded. So edits made in the viewer last until the file itself changes;
 * then the file wins. The demo team never takes the place of one that came from a file of its own.
 * @param target `{workerUrl, token, stateDir, openAi, log}`
 * @param config as {@link readConfig} gives it
 */
export async function loadConfig(target, { name, document, isOwn }) {
  const body = JSON.stringify(isOwn ? document : onRealModel(document, target.openAi));
  const hash = hashText(body);
  const kept = (await hasAgents(target))
    ? reasonToKeep(readNotes(target.stateDir), { name, hash, isOwn })
    : null;
  if (kept !== null) return void target.log(`config: ${kept}; the instance keeps what it has`);
  await putConfig(target, name, body);
  addNotes(target.stateDir, { config: hash, configFile: isOwn ? name : null });
  target.log(`config: loaded ${name}`);
}

function reasonToKeep(notes, { name, hash, isOwn }) {
  if (notes.config === hash) return `${name} is unchanged since it was loaded`;
  if (isOwn || !notes.configFile) return null;
  return `PARLEY_CONFIG is not set, and the team here came from ${notes.configFile}`;
}

/**
 * The demo team, playing its scenarios, or thinking for itself when there is a key.
 * @param openAi `{apiKey, baseUrl, model}`, each string or undefined
 */
function onRealModel(config, openAi) {
  if (!openAi.apiKey) return config;
  const model = {
    provider: "openai",
    name: openAi.model ?? DEFAULT_MODEL,
    ...(openAi.baseUrl ? { baseUrl: openAi.baseUrl } : {}),
    apiKey: { $secret: "OPENAI_API_KEY" },
  };
  return { ...config, agents: config.agents.map((agent) => ({ ...agent, model })) };
}

async function hasAgents(target) {
  const response = await call(target, "/api/agents");
  const agents = parseJson(await response.text());
  return Array.isArray(agents) && agents.length > 0;
}

async function putConfig(target, name, body) {
  const response = await call(target, "/api/config", { method: "PUT", body });
  if (response.ok) return void (await response.arrayBuffer());
  const answer = await response.text();
  throw new Problem(
    `The config in ${name} was refused:\n${describeError(answer, response.status)}\n${correct} ` +
      `npm run config -- check ${name} tells of faults without a start.`,
  );
}

/** The API's error as lines, each issue with its path. */
function describeError(answer, status) {
  const error = parseJson(answer)?.error;
  if (!error) return `  HTTP ${status} ${answer.slice(0, 500)}`;
  return [`  ${error.message}`, formatIssues(error.issues ?? [])].join("\n").trimEnd();
}

const formatIssues = (issues) =>
  issues.map(({ path, message }) => `  ${path ? `${formatPath(path)}: ` : ""}${message}`).join("\n");

const formatPath = (path) => (Array.isArray(path) ? path.join(".") : path);

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function call(target, path, init = {}) {
  const headers = { authorization: `Bearer ${target.token}`, "content-type": "application/json" };
  try {
    return await fetch(`${target.workerUrl}${path}`, { ...init, headers });
  } catch (error) {
    throw new Problem(
      `The Worker did not answer ${path} (${error.cause?.message ?? error.message}). Start again.`,
    );
  }
}
