/** Calls of an instance's API, for the commands that make some. */
import { Problem } from "../instance/problem.mjs";

const TIMEOUT_MS = 60_000;
const NO_ROUTE = "There is no such route.";

/**
 * One call; with a body it is sent as JSON.
 * @param target `{url, token}`
 * @param options `method`, `body`, `timeoutMs`
 * @returns {Promise<{ok: true, body: any} | {ok: false, message: string, passing: boolean, issues: {path: string, message: string}[]}>}
 *   `passing`: it may go well when it is tried again
 */
export async function callApi(target, path, { method = "GET", body, timeoutMs = TIMEOUT_MS } = {}) {
  try {
    const response = await fetch(target.url + path, {
      method,
      headers: { authorization: `Bearer ${target.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = await response.json().catch(() => undefined);
    if (response.ok && answer !== undefined) return { ok: true, body: answer };
    return refusal(`${target.url}`, path, { status: response.status, error: answer?.error });
  } catch (error) {
    return { ok: false, passing: true, message: unreachable(target, error, timeoutMs), issues: [] };
  }
}

/** The answer's body; throws a {@link Problem} that says what is wrong, with each fault and its place. */
export async function askApi(target, path, options) {
  const answer = await callApi(target, path, options);
  if (answer.ok) return answer.body;
  throw new Problem([answer.message, ...answer.issues.map(issueLine)].join("\n"));
}

export function issueLine({ path, message }) {
  return path === "" ? message : `${path}: ${message}`;
}

function refusal(url, path, { status, error }) {
  return {
    ok: false,
    passing: status === 429 || status >= 500,
    message: refusalMessage(url, path.replace(/\?.*$/, ""), { status, reason: error?.message }),
    issues: Array.isArray(error?.issues) ? error.issues : [],
  };
}

function refusalMessage(url, path, { status, reason }) {
  if (status === 401) return `${url} does not accept the token. Pass the right one with --token.`;
  if (status === 403)
    return `${url} does not let this token do that. ${reason ?? ""} Pass another one with --token.`;
  if (status === 404 && (reason === undefined || reason === NO_ROUTE))
    return `${url} has no ${path}. Is it a Parley instance of this version?`;
  if (status < 300) return `${url} answered, but not with JSON. Is it a Parley instance?`;
  return `${url} answered ${status}: ${reason ?? "no reason given"}`;
}

function unreachable(target, error, timeoutMs) {
  if (error.name === "TimeoutError")
    return `${target.url} did not answer within ${timeoutMs / 1000} seconds.`;
  return nothingAnswers(target, error);
}

/** @param error of `fetch` */
export function nothingAnswers({ url }, error) {
  const reason = error.cause?.code ?? error.cause?.message ?? error.message;
  return `Nothing answers at ${url} (${reason}). Start the instance with npm start, or pass --url.`;
}
