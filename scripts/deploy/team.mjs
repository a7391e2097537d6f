/** The config file that is deployed. */
import { join, relative, resolve } from "node:path";
import { loadConfigFile } from "../config/load.mjs";
import { secretsIn, validate } from "../config/validate.mjs";
import { root } from "../instance/paths.mjs";
import { Problem } from "../instance/problem.mjs";
import { requireBindings } from "./bindings.mjs";

const demo = join(root, "demo", "config.json");

/**
 * Which file: the named one, else the one that was deployed last, else PARLEY_CONFIG, else the demo team.
 * @returns `{configFile, configChosen}`: a path, and false where nobody has said that the demo team is meant
 */
export function configFileOf(named, deployed, environment) {
  const chosen = named ?? deployed ?? (environment.PARLEY_CONFIG || undefined);
  return { configFile: resolve(chosen ?? demo), configChosen: chosen !== undefined };
}

/** Reads it, checks it, and checks that the Worker's config has the bindings it needs; as `readTeam` answers. */
export async function checkTeam({ configFile, log, mask }, workerConfig) {
  const team = await readTeam(configFile);
  for (const warning of team.warnings) log(`    warning: ${mask(warning)}`);
  requireBindings(team, workerConfig);
  return team;
}

export const isGood = ({ name, agents }) => `${name} is good: ${agents} agents`;

/** Reads and checks it. @returns `{document, secrets, agents, warnings, name}`; throws a {@link Problem} with each fault's path */
async function readTeam(file) {
  const name = relative(process.cwd(), file);
  const loaded = loadConfigFile(file);
  if (!loaded.ok) throw new Problem(faults(name, loaded.problems));
  const checked = await validate(loaded.document);
  if (!checked.ok) throw new Problem(faults(name, checked.issues));
  return {
    name,
    document: loaded.document,
    secrets: await secretsIn(checked),
    agents: checked.agents.length,
    warnings: checked.warnings.map(line),
  };
}

/** The secrets that a file refers to, also when it has faults: they are told of in their own step. */
export async function secretsOf(file) {
  const loaded = loadConfigFile(file);
  return loaded.ok ? await secretsIn(loaded.document) : [];
}

const faults = (name, issues) =>
  [`The config file ${name} cannot be used:`, ...issues.map((one) => `    ${line(one)}`)].join("\n");
const line = ({ path, message }) => (path === "" ? message : `${path}: ${message}`);
