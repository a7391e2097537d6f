/** `npm run deploy`, once the packages are there. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout as pause } from "node:timers/promises";
import { withLock } from "../instance/lock.mjs";
import { root } from "../instance/paths.mjs";
import { buildViewer } from "../instance/viewer.mjs";
import { deploy } from "./deploy.mjs";
import { openDeployment, readNotes } from "./deployment.mjs";
import { dryRun } from "./dry-run.mjs";
import { createMask } from "./mask.mjs";
import { readSecrets } from "./secrets.mjs";
import { configFileOf } from "./team.mjs";
import { createWrangler } from "./wrangler-command.mjs";

/**
 * Runs the command; throws a `Problem`.
 * @param asked as `readArguments` answers it
 * @param deployments the folder where deployments are kept
 */
export async function main(asked, deployments = join(root, ".parley")) {
  const environment = process.env;
  const team = configFileOf(asked.configFile, readNotes(deployments, asked.name).configFile, environment);
  const base = {
    environment,
    ...team,
    yes: asked.yes,
    adopt: asked.adopt,
    again: commandLine(asked),
    log: (line) => process.stdout.write(`${line}\n`),
    pause,
    buildViewer,
    fetch,
  };
  if (asked.command === "dry-run") {
    const mask = createMask(() => environmentSecrets(environment));
    await dryRun({ ...base, mask, name: asked.name, wrangler: createWrangler({ mask }) });
    return;
  }
  mkdirSync(deployments, { recursive: true, mode: 0o700 });
  await withLock(`deploy ${root} ${asked.name}`, () =>
    deployOne({ ...base, deployment: openDeployment(deployments, asked.name), ask: asker() }),
  );
}

async function deployOne(context) {
  const { url, api } = await deploy(createContext(context));
  const { name } = context.deployment;
  context.log(
    `\nviewer ${url}\napi    ${api}\nSign in to the viewer with the API_TOKEN of .parley/${name}/secrets.`,
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
const environmentSecrets = (environment) =>
  Object.fromEntries(CREDENTIALS.map((name) => [name, environment[name]]));

const CREDENTIALS = [
  "API_TOKEN",
  "CLOUDFLARE_API_TOKEN",
  "CLOUDFLARE_API_KEY",
  "CLOUDFLARE_ACCESS_CLIENT_SECRET",
];

function commandLine({ command, name, configFile, yes, adopt }) {
  const options = [
    ...(command === "dry-run" ? ["--dry-run"] : []),
    ...(name === "parley" ? [] : ["--name", name]),
    ...(configFile === undefined ? [] : ["--config", configFile]),
    ...(yes ? ["--yes"] : []),
    ...(adopt ? ["--adopt"] : []),
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
