/** Talks to the deployed instance. */
import { tokenOf } from "./secrets.mjs";

const TIMEOUT_MS = 30_000;

/**
 * One call; what does not answer has status 0.
 * @param options `url` (default: the instance's), `token` (default: ours; null for none), `access` (false: without the service
 *   token by which Cloudflare Access lets programs through), `method`, `json` (a body)
 * @returns `{status, headers, text, body}`, body null where it is not JSON
 */
export async function callInstance({ deployment, environment, fetch }, path, options = {}) {
  const { workerUrl, viewerUrl } = deployment.notes();
  const token = options.token === undefined ? tokenOf(deployment, environment) : options.token;
  try {
    const response = await fetch(`${options.url ?? workerUrl ?? viewerUrl}${path}`, {
      method: options.method ?? "GET",
      headers: {
        ...(options.access === false ? {} : serviceToken(environment)),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(options.json === undefined ? {} : { "content-type": "application/json" }),
      },
      body: options.json === undefined ? undefined : JSON.stringify(options.json),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  } catch (error) {
    return {
      status: 0,
      headers: new Headers(),
      text: String(error.cause?.message ?? error.message),
      body: null,
    };
  }
}

/** By the names that wrangler has for it too. */
function serviceToken({ CLOUDFLARE_ACCESS_CLIENT_ID: id, CLOUDFLARE_ACCESS_CLIENT_SECRET: secret }) {
  return id && secret ? { "cf-access-client-id": id, "cf-access-client-secret": secret } : {};
}

/** Whether Cloudflare Access answered in the instance's place, with the way to its sign-in. */
export const behindAccess = ({ status, headers }) =>
  status >= 300 && status < 400 && /\.cloudflareaccess\.com\//.test(headers.get("location") ?? "");

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
