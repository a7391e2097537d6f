/** The only way out over HTTP for what a config can steer: each hop is judged before it is made. */
import { type AddressVerdict, addressName, judgeAddress } from "./address-policy.ts";
import { type OutboundRequest, redirected, redirectTarget } from "./redirect.ts";

/** Like `fetch`; see {@link guardedFetch} for what it refuses. */
export type GuardedFetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

type OutboundErrorCode =
  | Extract<AddressVerdict, { ok: false }>["code"]
  | "too_many_redirects"
  | "redirect"
  | "body_spent"
  | "unreachable";

/** The message is a sentence for a model or a person; it names hosts, never paths, queries or headers. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly code: OutboundErrorCode;

  constructor(code: OutboundErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

interface Guard {
  /** The platform's. It must not follow redirects by itself when told so. */
  readonly fetch: GuardedFetch;
  /** `instance.outbound.allow`. */
  readonly allow: readonly string[];
  /** Ends every request with the call or job that made it. */
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 5;

/**
 * A fetch that reaches public https addresses and what the operator allows by name. Of `init` it takes
 * method, headers, body, signal and redirect. Throws {@link OutboundError} for what is refused or out of reach,
 * and the signal's reason once that aborts.
 */
export function guardedFetch(guard: Guard): GuardedFetch {
  return async (input, init = {}) => {
    const signal = init.signal ? AbortSignal.any([guard.signal, init.signal]) : guard.signal;
    let request = firstRequest(allowed(judgeAddress(input, guard.allow)), init);
    for (let hops = 0; ; hops += 1) {
      const response = await send(guard, request, signal);
      const target = init.redirect === "manual" ? null : redirectTarget(response, request.url);
      if (target === null) return response;
      await response.body?.cancel();
      if (init.redirect === "error" || hops === MAX_REDIRECTS) throw noMoreRedirects(request.url, hops);
      request = followed(request, response.status, allowed(judgeAddress(target, guard.allow)));
    }
  };
}

function allowed(verdict: AddressVerdict): URL {
  if (verdict.ok) return verdict.url;
  throw new OutboundError(verdict.code, verdict.reason);
}

function firstRequest(url: URL, init: RequestInit): OutboundRequest {
  const headers = new Headers(init.headers);
  // Whoever may name the host that is asked may not name another one to a shared server.
  headers.delete("host");
  return { url, method: (init.method ?? "GET").toUpperCase(), headers, body: init.body ?? null };
}

async function send(guard: Guard, request: OutboundRequest, signal: AbortSignal): Promise<Response> {
  signal.throwIfAborted();
  const { url, ...rest } = request;
  try {
    return await guard.fetch(url, { ...rest, redirect: "manual", signal });
  } catch {
    signal.throwIfAborted();
    // What the platform says may hold the whole address, and the address a secret.
    throw new OutboundError("unreachable", `${addressName(url)} could not be reached.`);
  }
}

function noMoreRedirects(from: URL, hops: number): OutboundError {
  return hops === MAX_REDIRECTS
    ? new OutboundError(
        "too_many_redirects",
        `${addressName(from)} redirects more than ${MAX_REDIRECTS} times.`,
      )
    : new OutboundError("redirect", `${addressName(from)} redirects, which is not followed here.`);
}

function followed(request: OutboundRequest, status: number, url: URL): OutboundRequest {
  const next = redirected(request, status, url);
  if (next !== null) return next;
  throw new OutboundError(
    "body_spent",
    `${addressName(request.url)} redirects a body that was sent already.`,
  );
}
