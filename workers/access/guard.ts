/** Lets in who may: first who it is, then whether its role opens the route. */
import type { Context, MiddlewareHandler } from "hono";
import { FailureLimit, MAX_FAILURES } from "../../core/access/failure-limit.ts";
import { includesRole } from "../../core/access/roles.ts";
import { Turns } from "../../core/access/turns.ts";
import type { AppEnv } from "../app-env.ts";
import { ApiError } from "../errors.ts";
import { workerLog } from "../log.ts";
import { hubStub } from "../objects.ts";
import { accessTokenCheck, type FetchKeys } from "./access-token.ts";
import { actorOf } from "./actor.ts";
import { Authenticator } from "./authenticate.ts";
import { clientAddress } from "./client-address.ts";
import { neededFor } from "./route-roles.ts";

/** Finds out who makes the request and refuses who nobody is. */
export function requireActor(fetchKeys: FetchKeys): MiddlewareHandler<AppEnv> {
  const authenticator = new Authenticator(accessTokenCheck(fetchKeys));
  const failures = new Failures();
  return async (context, next) => {
    const outcome = await authenticator.authenticate(context);
    if (outcome.ok) {
      context.set("actor", outcome.actor);
      return next();
    }
    if (outcome.code === "unavailable")
      throw new ApiError(
        "unavailable",
        "The keys of Cloudflare Access cannot be had right now. Try again soon.",
      );
    if (outcome.code === "unmapped")
      throw new ApiError("forbidden", "Cloudflare Access let you in, but this instance gives you no role.");
    if (outcome.code === "unknown") await failures.count(context);
    throw new ApiError("unauthorized", "Send a valid credential, such as Authorization: Bearer <token>.");
  };
}

/** The hub's count is the whole instance's; a flood, also one from many addresses, is counted here alone. */
class Failures {
  readonly #own = new FailureLimit(Date.now);
  readonly #turns = new Turns({ burst: 300, everyMs: 100 }, Date.now);

  /** Throws for an address that has guessed too often. Whoever has a right credential never comes here. */
  async count(context: Context<AppEnv>): Promise<void> {
    const address = clientAddress(context);
    const own = this.#own.count(address);
    // The first one above the limit is told to the hub too: it knows whether the log has said so.
    const told = own <= MAX_FAILURES + 1 && this.#turns.take();
    const all = told
      ? await hubStub(context.env)
          .countFailure(address)
          .catch(() => own)
      : own;
    if (all === MAX_FAILURES + 1)
      workerLog(context.env).warn(
        `More than ${MAX_FAILURES} wrong credentials came from ${address} in a minute.`,
      );
    if (Math.max(own, all) > MAX_FAILURES)
      throw new ApiError(
        "rate_limited",
        "Too many wrong credentials from your address. Try again in a minute.",
      );
  }
}

/**
 * Refuses what the actor's role does not open. A route without a row in the table is never reached: `denied` says
 * what whoever asks for it is told.
 */
export function requireRole(denied: (context: Context<AppEnv>) => ApiError): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    const actor = actorOf(context);
    const needed = neededFor(context.req.method, context.req.path);
    if (needed === null) throw denied(context);
    if (needed === "open" || needed === "signature") return next();
    if (!includesRole(actor.role, needed))
      throw new ApiError("forbidden", `This needs the role ${needed}; yours is ${actor.role}.`);
    if (actor.kind === "access" && isForeign(context))
      throw new ApiError("forbidden", "Another site's page sent this request in your name.");
    return next();
  };
}

/**
 * A browser adds what Access knows it by to every request, also to those that a foreign page makes it send. Programs
 * send neither of these headers.
 */
function isForeign({ req }: Context): boolean {
  if (req.method === "GET" || req.method === "HEAD") return false;
  const site = req.header("Sec-Fetch-Site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = req.header("Origin");
  return origin !== undefined && origin !== new URL(req.url).origin;
}
