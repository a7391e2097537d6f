/** Tokens of Cloudflare Access: signed by the team's keys, for one of our applications, not over yet. */
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type RemoteJWKSet } from "jose";
import { z } from "zod";
import type { AccessConfig, AccessSubject } from "../../core/config/access.ts";

/** Fetches a team's keys. An argument, so that tests can be the team. */
export type FetchKeys = (url: string, init: RequestInit) => Promise<Response>;

export type AccessVerdict =
  /** `until` in epoch milliseconds. */
  | { readonly ok: true; readonly subject: AccessSubject; readonly until: number }
  /** `expired` was right once; `unavailable`: the team's keys cannot be had just now. */
  | { readonly ok: false; readonly code: "invalid" | "expired" | "unavailable" };

export type CheckAccessToken = (token: string, access: AccessConfig) => Promise<AccessVerdict>;

/** A token with an unknown key makes the keys be fetched anew, this often at most. */
const COOLDOWN_MS = 30_000;
/** So long a key that was taken back may still be believed. */
const KEYS_HOLD_MS = 600_000;
/** After keys could not be had nobody asks for them again so soon. */
const PAUSE_MS = 5_000;
/** Clocks of the network differ a little. */
const CLOCK_TOLERANCE_SECONDS = 5;
const MAX_TEAMS = 4;

const claims = z.object({
  exp: z.number(),
  email: z.string().optional(),
  /** Instead of an e-mail address, where a service token was used: its client id. Of a client certificate its name. */
  common_name: z.string().optional(),
});

/** One per isolate: it keeps the keys that it has fetched. */
export function accessTokenCheck(fetchKeys: FetchKeys): CheckAccessToken {
  const teams = new Map<string, RemoteJWKSet>();
  return async (token, { teamDomain, audience }) => {
    const keys = teams.get(teamDomain) ?? keysOf(teamDomain, fetchKeys);
    if (teams.size >= MAX_TEAMS) teams.clear();
    teams.set(teamDomain, keys);
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ["RS256"],
        issuer: `https://${teamDomain}`,
        audience: typeof audience === "string" ? audience : [...audience],
        requiredClaims: ["exp"],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      return verdictOn(payload);
    } catch (error) {
      return { ok: false, code: codeOf(error) };
    }
  };
}

function verdictOn(payload: unknown): AccessVerdict {
  const parsed = claims.safeParse(payload);
  if (!parsed.success) return { ok: false, code: "invalid" };
  const { email = "", common_name = "", exp } = parsed.data;
  const name = email || common_name;
  if (name === "") return { ok: false, code: "invalid" };
  return { ok: true, subject: { kind: email === "" ? "service" : "person", name }, until: exp * 1_000 };
}

function keysOf(teamDomain: string, fetchKeys: FetchKeys): RemoteJWKSet {
  let failedAt = Number.NEGATIVE_INFINITY;
  return createRemoteJWKSet(new URL(`https://${teamDomain}/cdn-cgi/access/certs`), {
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: KEYS_HOLD_MS,
    [customFetch]: async (url, init) => {
      if (Date.now() - failedAt < PAUSE_MS) throw new KeysUnavailable();
      try {
        const response = await fetchKeys(url, init);
        if (response.ok) return response;
      } catch {
        // Said below, like any other answer that is no keys.
      }
      failedAt = Date.now();
      throw new KeysUnavailable();
    },
  });
}

class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

/** What is wrong with the keys and not with the token. */
const OF_THE_KEYS: readonly string[] = [
  errors.JOSEError.code,
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
];

function codeOf(error: unknown): "invalid" | "expired" | "unavailable" {
  if (error instanceof errors.JWTExpired) return "expired";
  const ofTheKeys = error instanceof errors.JOSEError && OF_THE_KEYS.includes(error.code);
  return error instanceof KeysUnavailable || ofTheKeys ? "unavailable" : "invalid";
}
