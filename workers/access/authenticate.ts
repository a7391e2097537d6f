/** Whose credential a request carries. */
import type { Context } from "hono";
import type { TokenHashes, TokenVerdict } from "../../core/access/api-tokens.ts";
import { FreshReading } from "../../core/access/fresh-reading.ts";
import { type AccessConfig, roleOf } from "../../core/config/access.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import type { AppEnv } from "../app-env.ts";
import { workerLog } from "../log.ts";
import { hubStub } from "../objects.ts";
import type { CheckAccessToken } from "./access-token.ts";
import type { Actor } from "./actor.ts";
import { isTokenText, sameText, tokenHash } from "./api-token.ts";
import { readingWorld } from "./reading-world.ts";

export type Authentication =
  | { readonly ok: true; readonly actor: Actor }
  /**
   * `missing`: nobody tried; `unknown`: a guess; `lapsed`: was right once; `unmapped`: Access knows who it is and the
   * config gives no role; `unavailable`: Access's keys cannot be had.
   */
  | { readonly ok: false; readonly code: "missing" | "unknown" | "lapsed" | "unmapped" | "unavailable" };

/** A shorter one is not looked for when texts are masked, and could be tried out. */
const MIN_API_TOKEN_CHARS = 8;

/** An isolate's way to find out who somebody is. What it knows of the hub is never older than the request. */
export class Authenticator {
  readonly #checkAccessToken: CheckAccessToken;
  readonly #hashes = new FreshReading<TokenHashes>(readingWorld);
  readonly #access = new FreshReading<AccessConfig | null>(readingWorld);
  #saidShort = false;

  constructor(checkAccessToken: CheckAccessToken) {
    this.#checkAccessToken = checkAccessToken;
  }

  /**
   * A token goes before what Access says: whoever sends one means it. Access's cookie is not read, since Access puts
   * the header on every request that it lets through.
   */
  async authenticate(context: Context<AppEnv>): Promise<Authentication> {
    const authorization = context.req.header("Authorization") ?? "";
    if (authorization !== "") return this.#byToken(context.env, authorization);
    const assertion = context.req.header("Cf-Access-Jwt-Assertion") ?? "";
    if (assertion !== "") return this.#byAccess(context.env, assertion);
    return { ok: false, code: "missing" };
  }

  async #byToken(env: Env, authorization: string): Promise<Authentication> {
    const given = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
    const own = this.#ownToken(env);
    // First, and without asking anybody: this one opens the doors when nothing else works.
    if (own !== "" && sameText(given, own))
      return { ok: true, actor: { kind: "api_token", name: "API_TOKEN", role: "admin", until: null } };
    if (!isTokenText(given)) return { ok: false, code: "unknown" };
    const hash = await tokenHash(given);
    const standing = await this.#standing(env, hash);
    if (standing !== "in_force") return { ok: false, code: standing };
    const verdict = await again(async (): Promise<TokenVerdict> => hubStub(env).identifyToken(hash));
    if (!verdict.ok) return { ok: false, code: verdict.code === "unknown" ? "unknown" : "lapsed" };
    const { name, role, expiresAt } = verdict;
    return { ok: true, actor: { kind: "token", name, role, until: expiresAt } };
  }

  /** Empty when there is none that counts. */
  #ownToken(env: Env): string {
    const token = env.API_TOKEN ?? "";
    if (token === "" || token.length >= MIN_API_TOKEN_CHARS) return token;
    if (!this.#saidShort)
      workerLog(env).error(`API_TOKEN opens nothing: it has fewer than ${MIN_API_TOKEN_CHARS} characters.`);
    this.#saidShort = true;
    return "";
  }

  /** Only who is known is looked up by name; for all the others together the hub is read now and then. */
  async #standing(env: Env, hash: string): Promise<"in_force" | "lapsed" | "unknown"> {
    const known = standingIn(this.#hashes.latest, hash);
    if (known !== "unknown") return known;
    const read = () => again(async (): Promise<TokenHashes> => hubStub(env).tokenHashes());
    return standingIn(await this.#hashes.fresh(read), hash);
  }

  async #byAccess(env: Env, assertion: string): Promise<Authentication> {
    const read = () => again(async (): Promise<AccessConfig | null> => hubStub(env).access());
    const access = await this.#access.fresh(read);
    // Access may guard an instance that does not know of it; then its header is no attempt at anything.
    if (access === null) return { ok: false, code: "missing" };
    const verdict = await this.#checkAccessToken(assertion, access);
    if (!verdict.ok) return { ok: false, code: CODE[verdict.code] };
    const role = roleOf(access.roles, verdict.subject);
    if (role === null) return { ok: false, code: "unmapped" };
    return { ok: true, actor: { kind: "access", name: verdict.subject.name, role, until: verdict.until } };
  }
}

/** What has lapsed never comes to life again, so an older reading will do for that. */
function standingIn(hashes: TokenHashes | null, hash: string): "in_force" | "lapsed" | "unknown" {
  if (hashes?.inForce.has(hash)) return "in_force";
  return hashes?.lapsed.has(hash) ? "lapsed" : "unknown";
}

const CODE = { invalid: "unknown", expired: "lapsed", unavailable: "unavailable" } as const;
