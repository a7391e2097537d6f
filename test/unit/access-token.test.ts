import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { accessTokenCheck, type CheckAccessToken } from "../../workers/access/access-token.ts";

const access = {
  teamDomain: "team.cloudflareaccess.com",
  audience: ["aud-of-the-viewer", "aud-of-the-api"],
  roles: {},
};
const person = { email: "a@example.com" };
const EXPIRES = Date.parse("2030-01-01T12:00:00Z");
const NOON = Date.parse("2030-01-01T11:00:00Z");

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let first: Pair;
let second: Pair;
/** Which keys the team shows, by their ids; null while they cannot be had. */
let shown: Record<string, Pair> | null;
let fetched: string[];
let check: CheckAccessToken;

beforeAll(async () => {
  [first, second] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
});

beforeEach(() => {
  vi.useFakeTimers({ now: NOON, toFake: ["Date"] });
  shown = { one: first };
  fetched = [];
  check = accessTokenCheck(async (url) => {
    fetched.push(url);
    if (shown === null) return new Response("down", { status: 500 });
    const keys = Object.entries(shown).map(async ([kid, { publicKey }]) => ({
      ...(await exportJWK(publicKey)),
      kid,
      alg: "RS256",
      use: "sig",
    }));
    return Response.json({ keys: await Promise.all(keys) });
  });
  return () => vi.useRealTimers();
});

interface Changes {
  readonly key?: Pair["privateKey"] | Uint8Array;
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
}

function claimsOf(changes: Record<string, unknown>): JWTPayload {
  const now = Date.now() / 1_000;
  return {
    iss: `https://${access.teamDomain}`,
    aud: ["aud-of-the-viewer"],
    iat: now,
    nbf: now,
    exp: EXPIRES / 1_000,
    ...person,
    ...changes,
  };
}

/** A token as Access makes it, with something changed. */
function token({ key = first.privateKey, header = {}, claims = {} }: Changes = {}): Promise<string> {
  return new SignJWT(claimsOf(claims)).setProtectedHeader({ alg: "RS256", kid: "one", ...header }).sign(key);
}

const INVALID = { ok: false, code: "invalid" };

describe("a token of Cloudflare Access", () => {
  it("says who it is and until when, by the keys of the team", async () => {
    expect(await check(await token(), access)).toEqual({
      ok: true,
      subject: { kind: "person", name: person.email },
      until: EXPIRES,
    });
    expect(fetched).toEqual(["https://team.cloudflareaccess.com/cdn-cgi/access/certs"]);
  });

  it("names a service token by its client id", async () => {
    const claims = { email: undefined, sub: "", common_name: "0a1b.access" };
    expect(await check(await token({ claims }), access)).toMatchObject({
      ok: true,
      subject: { kind: "service", name: "0a1b.access" },
    });
  });

  it("fetches the keys once for many tokens, and anew after ten minutes", async () => {
    for (let n = 0; n < 5; n += 1) await check(await token(), access);
    expect(fetched).toHaveLength(1);
    vi.setSystemTime(NOON + 601_000);
    expect(await check(await token(), access)).toMatchObject({ ok: true });
    expect(fetched).toHaveLength(2);
  });
});

describe("a forged token", () => {
  const forged: [string, () => Promise<string> | string][] = [
    ["with the algorithm none", () => new UnsecuredJWT(claimsOf({})).encode()],
    [
      "with the algorithm none and a signature",
      async () => `${new UnsecuredJWT(claimsOf({})).encode()}${(await token()).split(".")[2]}`,
    ],
    [
      "signed with the public key as a shared secret",
      async () =>
        token({
          key: new TextEncoder().encode(await exportSPKI(first.publicKey)),
          header: { alg: "HS256" },
        }),
    ],
    ["signed with another key", () => token({ key: second.privateKey })],
    [
      "signed with a key that it brings along",
      async () => token({ key: second.privateKey, header: { jwk: await exportJWK(second.publicKey) } }),
    ],
    ["with another algorithm's name", async () => swapped(await token(), 0, { alg: "RS512", kid: "one" })],
    [
      "whose claims were changed",
      async () => swapped(await token(), 1, claimsOf({ email: "b@example.com" })),
    ],
    ["without its signature", async () => (await token()).replace(/[^.]*$/, "")],
    ["for another application", () => token({ claims: { aud: ["aud-of-another"] } })],
    ["for no application", () => token({ claims: { aud: undefined } })],
    ["of another team", () => token({ claims: { iss: "https://other.cloudflareaccess.com" } })],
    [
      "of a team that begins alike",
      () => token({ claims: { iss: `https://${access.teamDomain}.evil.example` } }),
    ],
    ["that is not valid yet", () => token({ claims: { nbf: NOON / 1_000 + 60 } })],
    ["that never expires", () => token({ claims: { exp: undefined } })],
    ["of nobody", () => token({ claims: { email: "" } })],
    ["that is no token", () => "eyJhbGciOiJSUzI1NiJ9.e30"],
    ["of junk", () => "..."],
  ];

  it.each(forged)("%s is not believed", async (_name, make) => {
    expect(await check(await make(), access)).toEqual(INVALID);
  });

  it("is told from one that was right until it expired", async () => {
    const claims = { exp: NOON / 1_000 - 60 };
    expect(await check(await token({ claims }), access)).toEqual({ ok: false, code: "expired" });
    expect(await check(await token({ claims, key: second.privateKey }), access)).toEqual(INVALID);
  });
});

describe("keys that change", () => {
  const bySecond = () => token({ key: second.privateKey, header: { kid: "two" } });

  it("are fetched for a key that is not known, at most twice a minute", async () => {
    await check(await token(), access);
    expect(await check(await bySecond(), access)).toEqual(INVALID);
    expect(fetched).toHaveLength(1);
    shown = { one: first, two: second };
    vi.setSystemTime(NOON + 31_000);
    expect(await check(await bySecond(), access)).toMatchObject({ ok: true });
    expect(fetched).toHaveLength(2);
    expect(await check(await token(), access)).toMatchObject({ ok: true });
  });

  it("that were taken back are not believed for longer than ten minutes", async () => {
    await check(await token(), access);
    shown = { two: second };
    vi.setSystemTime(NOON + 601_000);
    expect(await check(await token(), access)).toEqual(INVALID);
  });

  it("that cannot be had let nobody in, are not asked for again at once, and then are", async () => {
    shown = null;
    const unavailable = { ok: false, code: "unavailable" };
    expect(await check(await token(), access)).toEqual(unavailable);
    expect(await check(await token(), access)).toEqual(unavailable);
    expect(fetched).toHaveLength(1);
    shown = { one: first };
    vi.setSystemTime(NOON + 6_000);
    expect(await check(await token(), access)).toMatchObject({ ok: true });
  });
});

/** The token with one of its parts replaced. */
function swapped(text: string, part: number, value: unknown): string {
  const json = Buffer.from(JSON.stringify(value)).toString("base64url");
  return text
    .split(".")
    .map((old, index) => (index === part ? json : old))
    .join(".");
}
