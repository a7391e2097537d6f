/** The secrets of a deployed Worker: which it needs, which it has, which this machine can give it. */
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Problem } from "../instance/problem.mjs";
import { endingOnSignal } from "../instance/signals.mjs";
import { parseVars } from "../instance/vars.mjs";
import { WranglerError } from "./wrangler-command.mjs";

const HEAD = `# Secrets of the deployed instance, NAME=value a line. They are sent with each deployment; what is not named here stays
# as it is in Cloudflare. Not in git. Keep a copy of API_TOKEN: Cloudflare does not show it again.
`;

/** The values of the instance's file, by name. */
export function readSecrets({ secretsFile }) {
  return existsSync(secretsFile) ? parseVars(readFileSync(secretsFile, "utf8")) : {};
}

/** The token by which this machine talks to the instance: from the environment (CI), else from the file. */
export const tokenOf = (deployment, environment) =>
  environment.API_TOKEN || readSecrets(deployment).API_TOKEN || undefined;

/**
 * Makes sure that the Worker will have all that the config refers to. A token is made where there is none at all.
 * @param needed names
 */
export async function checkSecrets({ wrangler, deployment, environment, log }, needed) {
  const there = await secretsThere(wrangler, deployment);
  const [set, kept] = [environment.API_TOKEN, readSecrets(deployment).API_TOKEN];
  if (set && kept && set !== kept) throw new Problem(twoTokens(deployment));
  if (tokenOf(deployment, environment) === undefined) {
    if (there.includes("API_TOKEN")) throw new Problem(unknownToken(deployment));
    makeToken(deployment);
    log(`    made an API_TOKEN; it is in ${shown(deployment)} and nowhere else: keep a copy`);
  }
  const given = Object.keys(secretsToSend(deployment, environment, there));
  const missing = needed.filter((name) => !there.includes(name) && !given.includes(name));
  if (missing.length > 0) throw new Problem(missingSecrets(deployment, missing));
  return `${new Set([...there, ...given]).size} secrets, ${given.length} of them sent from this machine`;
}

/** What goes along with the Worker; the environment's token only where the Worker has none, and never into a file of ours. */
function secretsToSend(deployment, environment, there) {
  const own = Object.fromEntries(Object.entries(readSecrets(deployment)).filter(([, value]) => value !== ""));
  const token = environment.API_TOKEN;
  return token && !there.includes("API_TOKEN") && own.API_TOKEN === undefined
    ? { ...own, API_TOKEN: token }
    : own;
}

/** Runs `work(file)` with a private file of the secrets to send, null if there are none. It is gone afterwards, on a signal too. */
export async function withSecretsFile({ wrangler, deployment, environment }, work) {
  const values = secretsToSend(deployment, environment, await secretsThere(wrangler, deployment));
  if (Object.keys(values).length === 0) return work(null);
  const folder = mkdtempSync(join(tmpdir(), "parley-secrets-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    return await endingOnSignal(() => {
      const file = join(folder, "secrets.json");
      writeFileSync(file, JSON.stringify(values), { mode: 0o600 });
      return work(file);
    });
  } finally {
    remove();
    process.off("exit", remove);
  }
}

async function secretsThere(wrangler, { workerConfig }) {
  try {
    const listed = await wrangler.run(["secret", "list", "--format", "json", "--config", workerConfig]);
    return listed.json().map(({ name }) => name);
  } catch (error) {
    const isNew = error instanceof WranglerError && /Worker ".*" not found/.test(error.text);
    if (isNew) return [];
    throw error;
  }
}

function makeToken(deployment) {
  const before = existsSync(deployment.secretsFile) ? readFileSync(deployment.secretsFile, "utf8") : HEAD;
  const separator = before.endsWith("\n") ? "" : "\n";
  const line = `${separator}API_TOKEN="${randomBytes(24).toString("base64url")}"\n`;
  if (existsSync(deployment.secretsFile)) appendFileSync(deployment.secretsFile, line);
  else writeFileSync(deployment.secretsFile, `${before}${line}`, { mode: 0o600 });
  chmodSync(deployment.secretsFile, 0o600);
}

const shown = ({ secretsFile }) => relative(process.cwd(), secretsFile);

const missingSecrets = (deployment, missing) =>
  [
    `The config refers to secrets that the Worker does not have. Set each of them:`,
    ...missing.map((name) => `    npx wrangler secret put ${name} --name ${deployment.names.worker}`),
    `  or write NAME=value into ${shown(deployment)}, a line each.`,
  ].join("\n");

const twoTokens = (deployment) =>
  `API_TOKEN in the environment is another one than in ${shown(deployment)}. The file's would be sent to the Worker. Unset the one, or ` +
  "take the other out of the file.";

const unknownToken = (deployment) =>
  [
    `The Worker has an API_TOKEN that this machine does not know. Write API_TOKEN=value into ${shown(deployment)}, or set`,
    `  API_TOKEN in the environment. If it is lost, give it a new one:`,
    `    npx wrangler secret put API_TOKEN --name ${deployment.names.worker}`,
  ].join("\n");
