/** The instance's side of `push` and `pull`. */

const TIMEOUT_MS = 60_000;

/**
 * One call of /api/config; with a document it is sent, without one the instance's is asked for.
 * @returns {Promise<{ok: true, body: any} | {ok: false, message: string, issues: {path: string, message: string}[]}>}
 */
export async function callConfigApi(target, document) {
  try {
    const response = await fetch(`${target.url}/api/config`, {
      method: document === undefined ? "GET" : "PUT",
      headers: { authorization: `Bearer ${target.token}`, "content-type": "application/json" },
      body: document === undefined ? undefined : JSON.stringify(document),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await readJson(response);
    return response.ok && body !== undefined ? { ok: true, body } : refusal(target, response.status, body);
  } catch (error) {
    return { ok: false, message: unreachable(target, error), issues: [] };
  }
}

async function readJson(response) {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function refusal(target, status, body) {
  const issues = Array.isArray(body?.error?.issues) ? body.error.issues : [];
  return { ok: false, message: refusalMessage(target, status, body?.error?.message), issues };
}

function refusalMessage(target, status, message) {
  if (status === 401 || status === 403)
    return `${target.url} does not accept the token. Pass the right one with --token.`;
  if (status === 404) return `${target.url} has no /api/config. Is it a Parley instance?`;
  if (status < 300) return `${target.url} answered, but not with JSON. Is it a Parley instance?`;
  return `${target.url} answered ${status}: ${message ?? "no reason given"}`;
}

function unreachable(target, error) {
  if (error.name === "TimeoutError")
    return `${target.url} did not answer within ${TIMEOUT_MS / 1000} seconds.`;
  const reason = error.cause?.code ?? error.cause?.message ?? error.message;
  return `Nothing answers at ${target.url} (${reason}). Start the instance with npm start, or pass --url.`;
}
