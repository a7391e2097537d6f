/** A deployment, from signing in to a look at what answers. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../instance/paths.mjs";
import { signIn } from "./account.mjs";
import { applyMigrations, deployViewer, deployWorker, instanceUrl, pushTeam } from "./publish.mjs";
import { provideResources } from "./resources.mjs";
import { checkSecrets } from "./secrets.mjs";
import { awaitVersion, smokeTest } from "./smoke.mjs";
import { runSteps } from "./steps.mjs";
import { checkTeam, isGood, secretsOf } from "./team.mjs";
import { writeWorkerConfig } from "./worker-config.mjs";

/** In order; `plan({names, secrets})` says what a step would do. */
export const STEPS = [
  {
    title: "who is signed in",
    plan: () => "wrangler whoami: is somebody signed in, and which account is meant",
    run: signIn,
  },
  {
    title: "D1, KV, R2 and Pages",
    plan: ({ names }) =>
      `find or make D1 ${names.database}, KV ${names.namespace}, R2 ${names.files} and ${names.texts}, Pages ${names.viewer}; ` +
      "what is there and is not known as the instance's is asked about",
    run: withConfig(provideResources),
  },
  {
    title: "migrations",
    plan: () => "apply the migrations that the database lacks",
    run: applyMigrations,
  },
  {
    title: "secrets",
    plan: ({ secrets }) => `see that the Worker has these secrets: ${secrets.join(", ")}`,
    run: async (context) =>
      checkSecrets(context, [...new Set(["API_TOKEN", ...(await secretsOf(context.configFile))])]),
  },
  {
    title: "config check",
    plan: () => "check the config file",
    run: async (context) => {
      const workerConfig = JSON.parse(readFileSync(context.deployment.workerConfig, "utf8"));
      context.team = await checkTeam(context, workerConfig);
      return isGood(context.team);
    },
  },
  { title: "Worker", plan: ({ names }) => `upload the Worker ${names.worker}`, run: deployWorker },
  { title: "the Worker answers", plan: () => "wait until that version answers", run: awaitVersion },
  {
    title: "viewer",
    plan: ({ names }) => `build the viewer and put it on ${names.viewer}, bound to ${names.worker}`,
    run: deployViewer,
  },
  {
    title: "config",
    plan: () => "send the config file, if it is new or changed",
    run: (context) => pushTeam(context, context.team),
  },
  {
    title: "smoke test",
    plan: () => "smoke test: health, token, agents, the viewer's page and its way to the Worker",
    run: smokeTest,
  },
];

/**
 * Runs all steps. Idempotent: each looks at what is there. Throws a `Problem` that names the failed step.
 * @param context `wrangler`, `deployment`, `environment`, `configFile` (a path), `configChosen` (false for a demo team that nobody
 *   named), `yes`, `adopt`, `ask(question)` or null, `mask`, `log`, `pause(ms)`, `fetch`, `buildViewer(log)`, `again` (the command
 *   that goes on)
 */
export async function deploy(context) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  await runSteps(STEPS, { ...context, version });
  return { url: context.deployment.notes().viewerUrl, api: instanceUrl(context.deployment) };
}

/** The ids are known now, and everything after goes by the file that holds them. */
function withConfig(step) {
  return async (context) => {
    const done = await step(context);
    const { deployment } = context;
    const { accountId, databaseId, namespaceId } = deployment.notes();
    const { names, ownConfig } = deployment;
    writeWorkerConfig({ names, ownConfig, accountId, databaseId, namespaceId }, deployment.workerConfig);
    return done;
  };
}
