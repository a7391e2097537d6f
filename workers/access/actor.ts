/** Who makes a request. */
import type { Context } from "hono";
import type { Role } from "../../core/access/roles.ts";
import type { AppEnv } from "../app-env.ts";

export interface Actor {
  /** `api_token`: the instance's own `API_TOKEN`; `token`: one of the named ones; `access`: Cloudflare Access. */
  readonly kind: "api_token" | "token" | "access";
  /** `API_TOKEN`, the token's name, an e-mail address, or the client id of an Access service token. */
  readonly name: string;
  readonly role: Role;
  /** When the credential expires, in epoch milliseconds; null when it does not. */
  readonly until: number | null;
}

/** The request's actor, for routes behind the guard. Throws on a route that stands before it. */
export function actorOf(context: Context<AppEnv>): Actor {
  const actor = context.get("actor");
  if (actor === undefined)
    throw new TypeError("This route stands before the guard: nobody was asked who it is");
  return actor;
}
