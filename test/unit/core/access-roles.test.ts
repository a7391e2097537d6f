import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FAILURE_WINDOW_MS, FailureLimit, MAX_FAILURES } from "../../../core/access/failure-limit.ts";
import { includesRole, ROLES } from "../../../core/access/roles.ts";
import { accessSchema, roleOf } from "../../../core/config/access.ts";
import { neededFor, ROUTE_ROLES } from "../../../workers/access/route-roles.ts";

describe("a role", () => {
  it("includes itself and those before it, and nothing above", () => {
    const table = ROLES.map((role) => ROLES.map((needed) => includesRole(role, needed)));
    expect(table).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });
});

describe("the table of routes", () => {
  it("is printed in the docs, row for row", () => {
    const text = readFileSync("docs/access.md", "utf8");
    const printed = [...text.matchAll(/^\| `([A-Z]+) (\S+)` \| `(\w+)` \|$/gm)].map((row) => row.slice(1));
    expect(printed).toEqual(ROUTE_ROLES);
  });

  it("has each route once", () => {
    const routes = ROUTE_ROLES.map(([method, path]) => `${method} ${path}`);
    expect(routes).toEqual([...new Set(routes)]);
  });

  it.each([
    ["GET", "/mcp", "operate"],
    ["POST", "/a2a/clerk/tasks/1", "operate"],
    ["GET", "/api/admin", "admin"],
    ["DELETE", "/api/admin/log/all", "admin"],
    ["GET", "/api/config/versions", "admin"],
    ["HEAD", "/api/agents", "read"],
    ["GET", "/api/agents/a%2Fb", "read"],
    ["GET", "/api/administration", null],
    ["GET", "/api/nothing", null],
    ["GET", "/api/agents/x/secrets", null],
    ["PATCH", "/api/agents/x", null],
    ["GET", "/api/pause", null],
    ["GET", "/api//agents", null],
    ["GET", "/API/agents", null],
    ["GET", "/", null],
  ])("says of %s %s: %s", (method, path, needed) => {
    expect(neededFor(method, path)).toBe(needed);
  });
});

describe("a person's role", () => {
  const roles = {
    "boss@example.com": "admin",
    "Guest@Example.com": "read",
    "*@example.com": "operate",
    "0a1b2c.access": "operate",
  } as const;

  const roleOfPerson = (name: string) => roleOf(roles, { kind: "person", name });

  it.each([
    ["boss@example.com", "admin"],
    ["BOSS@Example.COM", "admin"],
    ["guest@example.com", "read"],
    ["somebody@example.com", "operate"],
    ["0a1b2c.access", "operate"],
  ])("of %s is %s", (subject, role) => {
    expect(roleOfPerson(subject)).toBe(role);
  });

  it.each([
    "boss@example.com.evil.example",
    "boss@sub.example.com",
    "boss@evil.example@example.org",
    "*@example.org",
    "example.com",
    "0a1b2d.access",
    "",
  ])("is none for %j, whom no entry names", (subject) => {
    expect(roleOfPerson(subject)).toBeNull();
  });

  it("is that of the whole domain for an address with two signs of it", () => {
    expect(roleOfPerson("a@b@example.com")).toBe("operate");
  });

  it("is not had by a certificate that bears the person's address for a name", () => {
    const roleOfCertificate = (name: string) => roleOf(roles, { kind: "service", name });
    for (const name of ["boss@example.com", "new@example.com"]) expect(roleOfCertificate(name)).toBeNull();
    expect(roleOfCertificate("0A1B2C.access")).toBe("operate");
  });
});

describe("the config of Cloudflare Access", () => {
  const valid = {
    teamDomain: "team.cloudflareaccess.com",
    audience: "aud",
    roles: { "a@b.example": "read" },
  };
  const accepts = (change: Record<string, unknown>) =>
    accessSchema.safeParse({ ...valid, ...change }).success;

  it("takes one audience or several, people, domains and service tokens", () => {
    expect(accepts({})).toBe(true);
    expect(accepts({ audience: ["a", "b"] })).toBe(true);
    expect(accepts({ roles: { "*@b.example": "operate", "0a.access": "admin" } })).toBe(true);
  });

  it.each([
    { teamDomain: "https://team.cloudflareaccess.com" },
    { teamDomain: "team.cloudflareaccess.com/x" },
    { teamDomain: "127.0.0.1" },
    { teamDomain: "localhost" },
    { teamDomain: "team.cloudflareaccess.com:8443" },
    { teamDomain: "a@team.cloudflareaccess.com" },
    { audience: "" },
    { audience: [] },
    { roles: { "*": "read" } },
    { roles: { "*@*": "read" } },
    { roles: { "": "read" } },
    { roles: { "a@b.example": "owner" } },
    { issuer: "https://other.example" },
  ])("does not take %j", (change) => {
    expect(accepts(change)).toBe(false);
  });
});

describe("the count of wrong credentials", () => {
  it("is one for each address and begins again after a minute", () => {
    let now = 1_000;
    const limit = new FailureLimit(() => now);
    for (let n = 1; n <= MAX_FAILURES + 5; n += 1) expect(limit.count("a")).toBe(n);
    expect(limit.count("b")).toBe(1);
    now += FAILURE_WINDOW_MS - 1;
    expect(limit.count("a")).toBe(MAX_FAILURES + 6);
    now += 1;
    expect(limit.count("a")).toBe(1);
  });

  it("forgets addresses rather than growing without end, the oldest first", () => {
    const limit = new FailureLimit(() => 1);
    limit.count("first");
    for (let n = 0; n < 20_000; n += 1) limit.count(`address ${n}`);
    expect(limit.count("first")).toBe(1);
    expect(limit.count("address 19999")).toBe(2);
  });
});
