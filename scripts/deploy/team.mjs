/** The config file that is deployed. */
import { join, relative, resolve } from "node:path";
import { loadConfigFile } from "../config/load.mjs";
import { secretsIn, validate } from "../config/validate.mjs";
import { root } from "../instance/paths.mjs";
import { Problem } from "../instance/problem.mjs";

const demo = join(root, "demo", "config.json");

/** Which file: the named one, else the one that was deployed last, else PARLEY_CONFIG, else the demo team. */
export function configFileOf(named, deployed, environment) {
  return resolve(named ?? deployed ?? (environment.PARLEY_CONFIG || demo));
}

/** Reads and checks it. @returns `{document, secrets, agents, warnings, name}`; throws a {@link Problem} with each fault's path */
export async function readTeam(file) {
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
