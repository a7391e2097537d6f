/** The Worker's API, with the types of its routes. */
import { type ClientResponse, hc } from "hono/client";
import type { Routes } from "../../../workers/app.ts";
import { session, setReachable, signOut } from "../session/session.ts";

/** What went wrong with a request, for people. */
export interface Problem {
  /** `refused`: signed out; `forbidden`: the role does not allow it; `offline`: no answer; `failed`: the instance's fault; `invalid`: ours, see `issues`. */
  readonly kind: "refused" | "forbidden" | "offline" | "failed" | "invalid";
  /** The API's code, or empty. */
  readonly code: string;
  /** The API's own words, English, or empty. */
  readonly message: string;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}

export type Answer<T> =
  | { readonly ok: true; readonly data: T; readonly response: { readonly headers: Headers } }
  | { readonly ok: false; readonly problem: Problem };

export const api = hc<Routes>(location.origin, { fetch: authorizedFetch }).api;

/** A JSON body, as an option of a call. */
export const body = (value: unknown) => ({
  init: { body: JSON.stringify(value), headers: { "content-type": "application/json" } },
});

/** What a response carries; a route that answers in several shapes has a union of them. */
type Carried<R> = R extends ClientResponse<infer T> ? T : never;

/** Waits for a call's answer and sorts what can go wrong. Never throws. A 401 ends the session. */
export async function call<R extends ClientResponse<unknown>>(
  request: Promise<R>,
): Promise<Answer<Carried<R>>> {
  try {
    const response = await request;
    setReachable(response.status < 502);
    if (response.ok) return { ok: true, data: await readJson(response), response };
    return { ok: false, problem: await problemOf(response) };
  } catch (error) {
    if (!isAbort(error)) setReachable(false);
    return { ok: false, problem: { kind: "offline", code: "", message: "", issues: [] } };
  }
}

/** A request with the session's token, for what is no JSON: streams and downloads. */
export async function authorizedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const { value } = session;
  if (value.state === "signed-in" && value.token !== null)
    headers.set("authorization", `Bearer ${headerSafe(value.token)}`);
  const response = await fetch(input, { ...init, headers, cache: "no-store" });
  // A late answer to a token of before says nothing of the one that is in use now.
  if (response.status === 401 && session.peek() === value)
    signOut(value.state === "signed-in" ? "token" : null);
  return response;
}

async function readJson<R extends ClientResponse<unknown>>(response: R): Promise<Carried<R>> {
  const json: Promise<unknown> = response.json();
  return json.then(trusted<Carried<R>>);
}

/** The one place where the API's answers get their types: they are the same deployment's. */
function trusted<T>(value: unknown): T;
function trusted(value: unknown): unknown {
  return value;
}

/** Characters that no header can carry make a token that cannot be right; they must not make the request throw. */
function headerSafe(token: string): string {
  return /^[\x21-\x7e]+$/.test(token) ? token : "unusable";
}

async function problemOf(response: { status: number; json(): Promise<unknown> }): Promise<Problem> {
  const { status } = response;
  const error = field(await response.json().catch(() => null), "error");
  const issues = field(error, "issues");
  return {
    kind: kindOf(status),
    code: text(error, "code"),
    message: text(error, "message"),
    issues: Array.isArray(issues)
      ? issues.map((issue: unknown) => ({ path: text(issue, "path"), message: text(issue, "message") }))
      : [],
  };
}

function kindOf(status: number): Problem["kind"] {
  if (status === 401) return "refused";
  if (status === 403) return "forbidden";
  if (status >= 502) return "offline";
  return status === 500 ? "failed" : "invalid";
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
