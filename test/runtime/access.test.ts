import { env } from "cloudflare:workers";
import { inspectRoutes } from "hono/dev";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Role } from "../../core/access/roles.ts";
import { neededFor, ROUTE_ROLES } from "../../workers/access/route-roles.ts";
import { createApp } from "../../workers/app.ts";
import { get, request, send, TOKEN } from "./support/api.ts";
import { door, elsewhere, errorOf } from "./support/door.ts";
import { ROUTES_BELOW } from "./support/routes-below.ts";
import { agent, team } from "./support/team.ts";
import { testRegistry } from "./support/test-registry.ts";
import { makeToken, staleToken } from "./support/tokens.ts";

/** Every concrete route of the door; middlewares are none. */
const routes = inspectRoutes(door)
  .filter(({ isMiddleware, path }) => !isMiddleware && path !== "/hooks/*")
  .map(({ method, path }) => ({ method, path, address: path.replace(/:\w+(\{[^}]*\})?|\*/g, "x") }));
const closed = routes.filter(({ method, address }) => {
  const needed = neededFor(method, address);
  return needed !== "open" && needed !== "signature";
});

let tokens: Record<Role, string>;
let revoked: string;
let expired: string;

const known = {
  access: {
    teamDomain: "team.cloudflareaccess.com",
    audience: "our-app",
    roles: { "boss@example.com": "admin", "*@example.com": "read", "0a1b.access": "operate" },
  },
};

beforeAll(async () => {
  await team([agent("a")], known);
  const [read, operate, admin] = await Promise.all([
    makeToken("reader", "read"),
    makeToken("operator", "operate"),
    makeToken("boss", "admin"),
  ]);
  tokens = { read, operate, admin };
  revoked = await makeToken("gone", "admin");
  expect((await send("DELETE", "/api/tokens/gone")).status).toBe(200);
  expired = await staleToken("old", "admin");
});

/** Without a body: whoever is let in is told what is missing, and has done nothing. */
function knock(verb: string, address: string, credential: string | null): Promise<Response> {
  const authorization = credential === null ? {} : { Authorization: `Bearer ${credential}` };
  const method = verb === "ALL" ? "POST" : verb;
  const init = { method, headers: { ...elsewhere(), ...authorization } };
  return Promise.resolve(door.fetch(new Request(`http://parley.test${address}`, init), env));
}

describe("the table of roles", () => {
  it("has a row for each route, of the same method and path, and no row for a route that is not there", () => {
    const rows = ROUTE_ROLES.map(([method, path]) => `${method} ${path}`);
    const known = routes.map(({ method, path }) => `${method} ${path}`);
    expect(known.filter((route) => !rows.includes(route)).sort()).toEqual(ROUTES_BELOW);
    expect(rows.filter((row) => !row.endsWith("/*") && !known.includes(row))).toEqual([]);
    expect(routes.length).toBeGreaterThan(45);
  });

  it("gives each of them something that is needed", () => {
    for (const { method, address } of routes)
      expect({ address, needed: neededFor(method, address) }).not.toEqual({ address, needed: null });
    const open = routes.filter((route) => !closed.includes(route));
    const known = ["GET /api/health", "POST /hooks/:agentId/:name"];
    expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual(known);
  });
});

describe("a route", () => {
  it("is not there for who has no credential, a wrong, a revoked or an expired one: all hear the same", async () => {
    const wrong = `parley_${"0".repeat(48)}`;
    const texts = new Set<string>();
    for (const { method, path, address } of closed)
      for (const credential of [null, "wrong", wrong, revoked, expired, `${tokens.admin}0`]) {
        const response = await knock(method, address, credential);
        const text = await response.clone().text();
        expect({ path, credential, status: response.status }).toEqual({ path, credential, status: 401 });
        expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
        expect(response.headers.get("Server-Timing")).toBeNull();
        if (credential !== null && credential.length > 10) expect(text).not.toContain(credential);
        if (!path.startsWith("/v1/")) texts.add(text);
        if (!path.startsWith("/v1/")) expect((await errorOf(response)).code).toBe("unauthorized");
        else expect(text).toContain('"code":"invalid_api_key"');
      }
    expect(texts.size).toBe(1);
  });

  it("is refused to a role below the one it needs, which it names", async () => {
    let refusals = 0;
    for (const { method, path, address } of closed)
      for (const [role, credential] of Object.entries(tokens)) {
        const needed = neededFor(method, address);
        if (role === "admin" || needed === "read" || needed === role) continue;
        const isBelow = role === "read" || needed === "admin";
        if (!isBelow) continue;
        const response = await knock(method, address, credential);
        const text = await response.clone().text();
        expect({ path, role, status: response.status }).toEqual({ path, role, status: 403 });
        expect(text).toContain(`role ${needed}`);
        if (path.startsWith("/v1/")) expect(text).toContain('"code":"insufficient_permissions"');
        else expect((await errorOf(response)).code).toBe("forbidden");
        refusals += 1;
      }
    expect(refusals).toBeGreaterThan(30);
  });

  it("is open to the role it needs, and to those above", async () => {
    for (const { method, path, address } of closed)
      for (const role of ["read", "operate", "admin"] as const) {
        const needed = neededFor(method, address);
        if (role === "read" && needed !== "read") continue;
        if (role === "operate" && needed === "admin") continue;
        const response = await knock(method, address, tokens[role]);
        await response.body?.cancel();
        expect({ path, role, refused: [401, 403].includes(response.status) }).toEqual({
          path,
          role,
          refused: false,
        });
      }
    await send("POST", "/api/resume");
  });

  it("that has no row in the table is closed to everybody, whatever else is there", async () => {
    expect(neededFor("POST", "/api/messages")).toBeNull();
    expect(neededFor("GET", "/api/pause")).toBeNull();
    expect(neededFor("GET", "/api/agents/x/secrets")).toBeNull();
    expect(neededFor("GET", "/api/configuration")).toBeNull();
    expect(neededFor("GET", "/API/agents")).toBeNull();
    expect((await errorOf(await knock("GET", "/api/agents/x/secrets", tokens.read))).status).toBe(404);
    expect((await errorOf(await knock("POST", "/api/messages", tokens.read))).status).toBe(405);
  });

  it("gives its head to whom it gives itself", async () => {
    expect((await knock("HEAD", "/api/agents", tokens.read)).status).toBe(200);
    expect((await knock("HEAD", "/api/config", tokens.read)).status).toBe(403);
  });
});

const meShape = z.strictObject({ kind: z.string(), name: z.string(), role: z.string() });
const me = async (credential: string) =>
  meShape.parse(await (await knock("GET", "/api/me", credential)).json());

describe("a client", () => {
  it("is told who it is", async () => {
    expect(await me(TOKEN)).toEqual({ kind: "api_token", name: "API_TOKEN", role: "admin" });
    expect(await me(tokens.operate)).toEqual({ kind: "token", name: "operator", role: "operate" });
  });

  it("needs nothing from the hub when it has the instance's own token", async () => {
    const { HUB: _hub, ...rest } = env;
    const without = new Proxy(rest, {
      get: (target, key) => {
        if (key === "HUB") throw new Error("Nobody may ask the hub");
        return Reflect.get(target, key);
      },
    });
    const init = { headers: { Authorization: `Bearer ${TOKEN}` } };
    expect((await door.request("http://parley.test/api/me", init, without)).status).toBe(200);
  });
});

const entryShape = z.strictObject({
  name: z.string(),
  role: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
});
const entries = async () => z.array(entryShape).parse(await get("/api/tokens"));

describe("an API token", () => {
  it("is shown once, and kept as nothing but its hash", async () => {
    const token = await makeToken("once", "read");
    expect(token).toMatch(/^parley_[0-9a-f]{48}$/);
    const listed = await entries();
    expect(listed.find(({ name }) => name === "once")).toMatchObject({ role: "read", expiresAt: null });
    expect(JSON.stringify(listed)).not.toMatch(/parley_|[0-9a-f]{64}/);
    expect(await makeToken("twice", "read")).not.toBe(token);
  });

  it("tells when it was last used, to the hour", async () => {
    const token = await makeToken("used", "read");
    const used = async () => (await entries()).find(({ name }) => name === "used")?.lastUsedAt ?? null;
    expect(await used()).toBeNull();
    await me(token);
    expect(await used()).toMatch(/:00:00\.000Z$/);
  });

  it("is over at once when it is revoked, live streams included, and its name is free again", async () => {
    const token = await makeToken("brief", "read");
    const live = await knock("GET", "/api/live", token);
    expect(live.status).toBe(200);
    const heard = live.text();
    expect((await send("DELETE", "/api/tokens/brief")).status).toBe(200);
    expect((await knock("GET", "/api/me", token)).status).toBe(401);
    expect(await heard).toContain("retry:");
    expect(await errorOf(await send("DELETE", "/api/tokens/brief"))).toEqual({
      status: 404,
      code: "not_found",
    });
    const next = await makeToken("brief", "operate");
    expect(await me(next)).toMatchObject({ name: "brief", role: "operate" });
    expect((await knock("GET", "/api/me", token)).status).toBe(401);
  });

  it("has a name of its own", async () => {
    await makeToken("single", "read");
    const again = await send("POST", "/api/tokens", { name: "single", role: "admin" });
    expect(await errorOf(again)).toEqual({ status: 409, code: "refused", paths: ["name"] });
  });

  it.each([
    [{}, ["name", "role"]],
    [{ name: "x", role: "owner" }, ["role"]],
    [{ name: "a b", role: "read" }, ["name"]],
    [{ name: "api_token", role: "read" }, ["name"]],
    [{ name: "x", role: "read", expiresAt: "2020-01-01T00:00:00Z" }, ["expiresAt"]],
    [{ name: "x", role: "read", expiresAt: "2999-01-01T00:00:00" }, ["expiresAt"]],
    [{ name: "x", role: "read", hash: "00" }, ["hash"]],
  ])("is not made of %j", async (body, paths) => {
    const refused = await errorOf(await send("POST", "/api/tokens", body));
    expect(refused).toEqual({ status: 400, code: "bad_request", paths });
  });
});

describe("Cloudflare Access", async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" }];
  const guarded = createApp(testRegistry, async () => Response.json({ keys }));
  const assertion = (claims: Record<string, string>, expires = "1h") =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .setIssuer("https://team.cloudflareaccess.com")
      .setAudience("our-app")
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(privateKey);
  const come = async (
    claims: Record<string, string>,
    init: { method?: string; headers?: Record<string, string> } = {},
    path = "/api/me",
  ) => {
    const headers = { ...elsewhere(), "Cf-Access-Jwt-Assertion": await assertion(claims), ...init.headers };
    return guarded.fetch(new Request(`http://parley.test${path}`, { ...init, headers }), env);
  };

  it.each([
    [{ email: "Boss@Example.com" }, { name: "Boss@Example.com", role: "admin" }],
    [{ email: "new@example.com" }, { name: "new@example.com", role: "read" }],
    [{ common_name: "0a1b.access" }, { name: "0a1b.access", role: "operate" }],
  ])("lets %j in as %j", async (claims, expected) => {
    expect(await (await come(claims)).json()).toEqual({ kind: "access", ...expected });
  });

  it.each([{ email: "boss@example.org" }, { common_name: "0a1c.access" }])(
    "has no role for %j",
    async (claims) => {
      expect(await errorOf(await come(claims))).toEqual({ status: 403, code: "forbidden" });
    },
  );

  it("ends the open streams of who loses a role, and lets nobody else lose anything", async () => {
    const live = async () => (await come({ email: "new@example.com" }, {}, "/api/live")).text();
    const heard = live();
    const { access } = known;
    await team([agent("a")], { access: { ...access, roles: { "boss@example.com": "admin" } } });
    expect(await heard).toContain("retry:");
    expect((await come({ email: "new@example.com" }, {}, "/api/live")).status).toBe(403);
    await team([agent("a")], known);
    expect((await come({ email: "new@example.com" })).status).toBe(200);
  });

  it("takes no certificate's name for an e-mail address", async () => {
    const refused = await come({ common_name: "boss@example.com" });
    expect(await errorOf(refused)).toEqual({ status: 403, code: "forbidden" });
  });

  it("opens nothing above the role", async () => {
    const refused = await come({ email: "new@example.com" }, { method: "POST" }, "/api/pause");
    expect(await errorOf(refused)).toEqual({ status: 403, code: "forbidden" });
  });

  it("is not believed when its token is forged or over, nor in a cookie", async () => {
    const forged = (await assertion({ email: "boss@example.com" })).replace(/.{20}$/, "A".repeat(20));
    const old = await assertion({ email: "boss@example.com" }, "-1h");
    for (const headers of [
      { "Cf-Access-Jwt-Assertion": forged },
      { "Cf-Access-Jwt-Assertion": old },
      {
        "Cf-Access-Jwt-Assertion": "",
        Cookie: `CF_Authorization=${await assertion({ email: "boss@example.com" })}`,
      },
    ]) {
      const refused = await come({}, { headers });
      expect(await errorOf(refused)).toEqual({ status: 401, code: "unauthorized" });
    }
  });

  it("does not stand in for a token that is wrong", async () => {
    const refused = await come({ email: "boss@example.com" }, { headers: { Authorization: "Bearer wrong" } });
    expect(refused.status).toBe(401);
  });

  it.each([
    [{ "Sec-Fetch-Site": "cross-site" }, 403],
    [{ "Sec-Fetch-Site": "same-site" }, 403],
    [{ Origin: "https://evil.example" }, 403],
    [{ Origin: "null" }, 403],
    [{ "Sec-Fetch-Site": "same-origin", Origin: "http://parley.test" }, 404],
    [{ Origin: "http://parley.test" }, 404],
    [{}, 404],
  ])("does not let another site's page act in a person's name: %j", async (headers, status) => {
    const init = { method: "DELETE", headers };
    expect((await come({ email: "boss@example.com" }, init, "/api/tokens/none")).status).toBe(status);
  });

  it("is no credential where the config knows nothing of it, and no guess either", async () => {
    await team([agent("a")]);
    expect((await come({ email: "boss@example.com" })).status).toBe(401);
  });
});

describe("guessing", () => {
  const from = (address: string, credential: string | null) => {
    const authorization = credential === null ? {} : { Authorization: `Bearer ${credential}` };
    return request("/api/agents", {
      headers: { "CF-Connecting-IP": address, Authorization: "", ...authorization },
    });
  };

  it("is refused with 429 after a hundred wrong credentials, and never to who has a right one", async () => {
    const answers: number[] = [];
    for (let n = 0; n < 102; n += 1) answers.push((await from("192.0.2.7", `guess-${n}`)).status);
    expect(answers).toEqual([...Array.from({ length: 100 }, () => 401), 429, 429]);
    const limited = await from("192.0.2.7", `parley_${"1".repeat(48)}`);
    expect(limited.headers.get("Retry-After")).toBe("60");
    expect(await errorOf(limited)).toEqual({ status: 429, code: "rate_limited" });
    expect((await from("192.0.2.7", TOKEN)).status).toBe(200);
    expect((await from("192.0.2.7", tokens.read)).status).toBe(200);
    expect((await from("192.0.2.7", null)).status).toBe(401);
    expect((await from("192.0.2.7", revoked)).status).toBe(401);
    expect((await from("192.0.2.8", "guess")).status).toBe(401);
  });

  it("counts what the whole instance has seen, whatever isolate saw it", async () => {
    const hub = env.HUB.get(env.HUB.idFromName("hub"));
    for (let n = 0; n < 100; n += 1) await hub.countFailure("192.0.2.9");
    expect((await from("192.0.2.9", "guess")).status).toBe(429);
  });

  it("is what one customer does, whichever of its IPv6 addresses it takes", async () => {
    const hub = env.HUB.get(env.HUB.idFromName("hub"));
    for (let n = 0; n < 100; n += 1) await hub.countFailure("2001:db8:0:1");
    expect((await from("2001:db8::1:0:0:0:9", "guess")).status).toBe(429);
    expect((await from("2001:db8:0:2::9", "guess")).status).toBe(401);
  });

  it("is not what somebody does who has nothing, or something that was right once", async () => {
    for (let n = 0; n < 105; n += 1) {
      expect((await from("192.0.2.10", n % 2 === 0 ? revoked : expired)).status).toBe(401);
      expect((await from("192.0.2.10", null)).status).toBe(401);
    }
  });
});
