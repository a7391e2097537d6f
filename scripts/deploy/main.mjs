/** `npm run deploy`, once the packages are there. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout as pause } from "node:timers/promises";
import { withLock } from "../instance/lock.mjs";
import { root } from "../instance/paths.mjs";
import { buildViewer } from "../instance/viewer.mjs";
import { deploy } from "./deploy.mjs";
import { openDeployment } from "./deployment.mjs";
import { dryRun } from "./dry-run.mjs";
import { createMask } from "./mask.mjs";
import { readSecrets } from "./secrets.mjs";
import { configFileOf } from "./team.mjs";
import { createWrangler } from "./wrangler-command.mjs";

const deployments = join(root, ".parley");

/** Runs the command; throws a `Problem`. @param asked as `readArguments` answers it */
export async function main(asked) {
  const environment = process.env;
  const base = {
    environment,
    yes: asked.yes,
    log: (line) => process.stdout.write(`${line}\n`),
    pause,
    buildViewer,
    fetch,
  };
  const again = commandLine(asked);
  if (asked.command === "dry-run") {
    const mask = createMask(() => environmentSecrets(environment));
    const configFile = configFileOf(asked.configFile, undefined, environment);
    await dryRun({ ...base, mask, again, name: asked.name, configFile, wrangler: createWrangler({ mask }) });
    return;
  }
  mkdirSync(deployments, { recursive: true, mode: 0o700 });
  await withLock(`deploy ${root} ${asked.name}`, () => deployOne(asked, { ...base, again }));
}

async function deployOne(asked, base) {
  const deployment = openDeployment(deployments, asked.name);
  const configFile = configFileOf(asked.configFile, deployment.notes().configFile, base.environment);
  const made = createContext({ ...base, deployment, configFile, ask: asker() });
  const { url, api } = await deploy(made);
  base.log(
    `\nviewer ${url}\napi    ${api}\nSign in to the viewer with the API_TOKEN of .parley/${asked.name}/secrets.`,
  );
}

/** Adds mask and wrangler to the rest of a context. @param options `command` and `limit` of the wrangler to run */
export function createContext(context, options = {}) {
  const { deployment, environment } = context;
  const mask = createMask(() => ({ ...environmentSecrets(environment), ...readSecrets(deployment) }));
  const account = () => ({
    CLOUDFLARE_ACCOUNT_ID: deployment.notes().accountId ?? environment.CLOUDFLARE_ACCOUNT_ID,
  });
  return { ...context, mask, wrangler: createWrangler({ ...options, mask, environment: account }) };
}

/** Of the environment only what may be a credential for this: the rest of it may be shown, paths above all. */
const environmentSecrets = ({ API_TOKEN, CLOUDFLARE_API_TOKEN, CLOUDFLARE_API_KEY }) => ({
  API_TOKEN,
  CLOUDFLARE_API_TOKEN,
  CLOUDFLARE_API_KEY,
});

function commandLine({ command, name, configFile, yes }) {
  const options = [
    ...(command === "dry-run" ? ["--dry-run"] : []),
    ...(name === "parley" ? [] : ["--name", name]),
    ...(configFile === undefined ? [] : ["--config", configFile]),
    ...(yes ? ["--yes"] : []),
  ];
  return ["npm run deploy", ...(options.length > 0 ? ["--", ...options] : [])].join(" ");
}

/** Null where nobody could answer. */
function asker() {
  if (!process.stdin.isTTY) return null;
  return async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  };
}
