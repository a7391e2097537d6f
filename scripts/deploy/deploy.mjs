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
import { readTeam, secretsOf } from "./team.mjs";
import { writeWorkerConfig } from "./worker-config.mjs";

/**
 * Runs all steps. Idempotent: each looks at what is there. Throws a `Problem` that names the failed step.
 * @param context `wrangler`, `deployment`, `environment`, `configFile` (a path), `yes`, `ask(question)` or null, `mask`, `log`,
 *   `pause(ms)`, `fetch`, `buildViewer(log)`, `again` (the command that goes on)
 */
export async function deploy(context) {
  const version = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;
  let team;
  const steps = [
    { title: "who is signed in", run: signIn },
    { title: "D1, KV, R2 and Pages", run: withConfig(provideResources) },
    { title: "migrations", run: applyMigrations },
    {
      title: "secrets",
      run: async () =>
        checkSecrets(context, [...new Set(["API_TOKEN", ...(await secretsOf(context.configFile))])]),
    },
    {
      title: "config check",
      run: async () => {
        team = await readTeam(context.configFile);
        for (const warning of team.warnings) context.log(`    warning: ${warning}`);
        return `${team.name} is good: ${team.agents} agents`;
      },
    },
    { title: "Worker", run: deployWorker },
    { title: "the Worker answers", run: awaitVersion },
    { title: "viewer", run: deployViewer },
    { title: "config", run: () => pushTeam(context, team) },
    { title: "smoke test", run: () => smokeTest(context, { version }) },
  ];
  await runSteps(steps, context);
  context.deployment.note({ configFile: context.configFile });
  return { url: context.deployment.notes().viewerUrl, api: instanceUrl(context.deployment) };
}

/** The ids are known now, and everything after goes by the file that holds them. */
const withConfig = (step) => async (context) => {
  const done = await step(context);
  const { deployment } = context;
  const { accountId, databaseId, namespaceId } = deployment.notes();
  const { names, ownConfig } = deployment;
  writeWorkerConfig({ names, ownConfig, accountId, databaseId, namespaceId }, deployment.workerConfig);
  return done;
};
