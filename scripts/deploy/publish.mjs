/** Brings migrations, Worker, viewer and config to the account. */
import { Problem } from "../instance/problem.mjs";
import { hashText } from "../instance/state.mjs";
import { behindAccess, callInstance } from "./reach.mjs";
import { BRANCH } from "./resources.mjs";
import { withSecretsFile } from "./secrets.mjs";
import { addPages } from "./viewer-folder.mjs";

/** Those that the database already has are passed over; each is made whole or not at all. */
export async function applyMigrations({ wrangler, deployment }) {
  const target = ["DB", "--remote", "--config", deployment.workerConfig];
  const { text } = await wrangler.run(["d1", "migrations", "apply", ...target]);
  return /No migrations to apply/.test(text) ? "nothing new" : "applied";
}

/** Uploads the Worker with its secrets, in one version; its address and that version are noted. */
export async function deployWorker(context) {
  const { wrangler, deployment } = context;
  const { entries } = await withSecretsFile(context, (file) =>
    wrangler.run([
      "deploy",
      "--config",
      deployment.workerConfig,
      ...(file === null ? [] : ["--secrets-file", file]),
    ]),
  );
  const deployed = entries.find(({ type }) => type === "deploy");
  if (deployed === undefined)
    throw new Problem("wrangler deploy came to its end and did not say which version it deployed.");
  const workerUrl = (deployed.targets ?? []).map(addressIn).find((address) => address !== undefined);
  deployment.note({ workerUrl: workerUrl ?? null, versionId: deployed.version_id });
  return `version ${deployed.version_id}${workerUrl === undefined ? "" : ` at ${workerUrl}`}`;
}

/** A target is an address, a host with ` (custom domain)` behind it, or a text on a route or a cron. */
const addressIn = (target) =>
  /^https?:\/\/\S+$/.exec(target)?.[0] ??
  /^([\w.-]+) \(custom domain/.exec(target)?.[1]?.replace(/^/, "https://");

/** Builds the viewer and puts it on its project, bound to the Worker. */
export async function deployViewer(context) {
  const { wrangler, deployment, buildViewer, log } = context;
  await buildViewer((line) => log(`    ${line}`));
  addPages(deployment);
  const args = ["pages", "deploy", "dist", "--project-name", deployment.names.viewer, "--branch", BRANCH];
  const { entries } = await wrangler.run([...args, "--commit-dirty", "true"], {
    cwd: deployment.viewerFolder,
  });
  const detail = entries.find(({ type }) => type === "pages-deploy-detailed");
  if (detail !== undefined && detail.environment !== "production")
    throw new Problem(onlyPreview(deployment, detail));
  return deployment.notes().viewerUrl;
}

const onlyPreview = ({ names }, { production_branch: branch }) =>
  `The Pages project ${names.viewer} shows the branch ${branch}, and the viewer goes to ${BRANCH}. Set its production branch to ` +
  `${BRANCH} in the dashboard (the project's Settings, Build).`;

/** Sends the team unless the instance has it: what was changed in the viewer since then stays until the file changes. */
export async function pushTeam(context, team) {
  const { deployment, configFile } = context;
  const sent = { configHash: hashText(JSON.stringify(team.document)), configFile };
  const agents = await callInstance(context, "/api/agents");
  const count = agents.status === 200 && Array.isArray(agents.body) ? agents.body.length : null;
  if (deployment.notes().configHash === sent.configHash && (count > 0 || behindAccess(agents))) {
    deployment.note(sent);
    return `${team.name} is unchanged since it was sent; the instance keeps what it has`;
  }
  if (behindAccess(agents)) throw new Problem(notLetThrough(deployment));
  if (!context.configChosen && count !== 0) throw new Problem(otherTeam(agents));
  const answer = await callInstance(context, "/api/config", { method: "PUT", json: team.document });
  if (answer.status !== 200) throw new Problem(refusal(answer));
  deployment.note(sent);
  return `${team.name}, in force at each agent's next run`;
}

const otherTeam = ({ status }) =>
  `The instance ${status === 200 ? "has agents" : `answers ${status} when it is asked for its agents`}, and the demo team, which nobody ` +
  "named, would take their place. Say which team is meant with --config FILE.";

const notLetThrough = ({ name, notes }) =>
  [
    `Cloudflare Access stands before the instance's only address, ${notes().viewerUrl}, so the config cannot be sent. Either set`,
    "  CLOUDFLARE_ACCESS_CLIENT_ID and CLOUDFLARE_ACCESS_CLIENT_SECRET to a service token that a policy of its application lets",
    `  through (docs/access.md), or give the Worker an address of its own in wrangler.${name}.toml (docs/deploy.md).`,
  ].join("\n");

function refusal({ status, text, body }) {
  const issues = Array.isArray(body?.error?.issues) ? body.error.issues : [];
  const reason = body?.error?.message ?? text.slice(0, 300);
  return [
    `the instance answered ${status}: ${reason}`,
    ...issues.map((one) => `    ${one.path}: ${one.message}`),
  ].join("\n");
}

/** The Worker's own address where it has one: the viewer's may ask people to sign in first. */
export const instanceUrl = (deployment) => deployment.notes().workerUrl ?? deployment.notes().viewerUrl;
