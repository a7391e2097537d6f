/** Does the deployed instance answer as it should? */
import { Problem } from "../instance/problem.mjs";
import { instanceUrl } from "./publish.mjs";
import { behindAccess, callInstance } from "./reach.mjs";

/** A new address takes up to a minute to work everywhere, a new version some seconds. */
const TRIES = 45;
const PAUSE_MS = 2_000;

/** Waits until the version that was just deployed answers. */
export async function awaitVersion(context) {
  const wanted = context.deployment.notes().versionId;
  let seen;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tries > 0) await context.pause(PAUSE_MS);
    seen = await callInstance(context, "/api/health", { token: null });
    const version = seen.headers.get("parley-version-id");
    if (seen.status === 200 && version === wanted)
      return `${instanceUrl(context.deployment)} answers with it`;
    if (behindAccess(seen)) return "Cloudflare Access stands before its only address; not looked at";
  }
  throw new Problem(notThere(context.deployment, seen, wanted));
}

function notThere(deployment, { status, text, headers }, wanted) {
  const found = headers.get("parley-version-id");
  const what =
    status === 200
      ? `answers with version ${found ?? "unknown"}`
      : `answers ${status === 0 ? `nothing (${text})` : status}`;
  return `${instanceUrl(deployment)}/api/health ${what}, not with version ${wanted}. See npx wrangler deployments list --name ${deployment.names.worker}`;
}

/** Health, the token, the viewer's page and its way to the Worker. */
export async function smokeTest(context) {
  const { version } = context;
  const { viewerUrl } = context.deployment.notes();
  const [health, refused, agents, page, through] = await Promise.all([
    callInstance(context, "/api/health", { token: null }),
    callInstance(context, "/api/agents", { token: null, access: false }),
    callInstance(context, "/api/agents"),
    callInstance(context, "/", { url: viewerUrl, token: null }),
    callInstance(context, "/api/health", { url: viewerUrl, token: null }),
  ]);
  if (behindAccess(health))
    return "Cloudflare Access stands before its only address; sign in there to see it";
  const faults = [
    fault(
      health.body?.ok === true && health.body.version === version,
      `health: ${health.status} ${health.text}`,
    ),
    fault(
      behindAccess(refused) || refused.status === 401,
      `/api/agents without a token: ${refused.status} instead of 401`,
    ),
    fault(
      agents.status === 200 && Array.isArray(agents.body),
      `/api/agents with the token: ${agents.status}`,
    ),
    fault(
      behindAccess(page) || (page.status === 200 && /<html/i.test(page.text)),
      `the viewer's page: ${page.status}`,
    ),
    fault(
      behindAccess(through) || through.body?.version === version,
      `the viewer's way to the Worker: ${through.status}`,
    ),
  ].filter((one) => one !== null);
  if (faults.length > 0) throw new Problem(faults.map((one) => one.slice(0, 300)).join("\n    "));
  const access = behindAccess(page) ? "the viewer is behind Cloudflare Access" : "the viewer answers";
  return `health, token and ${agents.body.length} agents are as they should be; ${access}`;
}

const fault = (good, text) => (good ? null : text);
