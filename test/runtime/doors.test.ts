import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Env } from "../../durable-objects/env.ts";
import { answerShape, request, send, TOKEN } from "./support/api.ts";
import { CLOSED, door, elsewhere, errorOf, ROUTES, through } from "./support/door.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch } from "./support/watched-world.ts";

beforeAll(async () => {
  resetWatch();
  await team([agent("a"), agent("b")]);
});

describe("the token", () => {
  it("is not needed for the health of the instance", async () => {
    const response = await request("/api/health", { headers: { Authorization: "" } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: true, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  it("is asked for by every other route", () => {
    expect(CLOSED.length).toBeGreaterThan(20);
    expect(ROUTES.length - CLOSED.length).toBe(1);
  });

  const headers: Record<string, string | null> = {
    none: null,
    "an empty one": "",
    "a wrong one": "Bearer wrong",
    "half of it": `Bearer ${TOKEN.slice(0, -1)}`,
    "more than it": `Bearer ${TOKEN}x`,
    "it in other letters": `Bearer ${TOKEN.toUpperCase()}`,
    "it without its scheme": TOKEN,
    "it in another scheme": `Basic ${btoa(`:${TOKEN}`)}`,
    "it twice": `Bearer ${TOKEN} ${TOKEN}`,
    "a very long one": `Bearer ${"x".repeat(8_000)}`,
  };

  it.each(Object.entries(headers))("refuses every route to a request with %s", async (_name, header) => {
    for (const [method, path] of CLOSED) {
      const credential = header === null ? {} : { Authorization: header };
      const init = { method, headers: { ...elsewhere(), ...credential } };
      const response = await door.request(`http://parley.test${path}`, init, env);
      expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
      expect({ path, ...(await errorOf(response)) }).toEqual({ path, status: 401, code: "unauthorized" });
    }
  });

  it("is not taken from the address or the body", async () => {
    const query = await request(`/api/agents?token=${TOKEN}&API_TOKEN=${TOKEN}`, {
      headers: { Authorization: "" },
    });
    expect(query.status).toBe(401);
  });

  it.each([undefined, ""])("closes every route but health when it is configured as %j", async (token) => {
    const { API_TOKEN: _configured, ...rest } = env;
    const without: Env = token === undefined ? rest : { ...rest, API_TOKEN: token };
    for (const header of ["Bearer ", "Bearer undefined", "Bearer null", `Bearer ${TOKEN}`, ""])
      for (const [method, path] of CLOSED) {
        const init = { method, headers: { ...elsewhere(), Authorization: header } };
        const response = await door.request(`http://parley.test${path}`, init, without);
        expect(await errorOf(response)).toEqual({ status: 401, code: "unauthorized" });
      }
    expect((await door.request("http://parley.test/api/health", {}, without)).status).toBe(200);
  });
});

describe("an address", () => {
  it.each([
    "/",
    "/api",
    "/api/",
    "/api/nothing",
    "/api/agents/a/nothing",
    "/api//agents",
    "/API/agents",
    "/%2e%2e/api",
    "/api/%E0%A4%A",
  ])("%s that leads nowhere is answered 404", async (path) => {
    expect(await errorOf(await request(path))).toEqual({ status: 404, code: "not_found" });
  });

  it.each(["/", "/api/nothing"])("%s says nothing without the token", async (path) => {
    const response = await request(path, { headers: { Authorization: "Bearer no" } });
    expect(await errorOf(response)).toEqual({ status: 401, code: "unauthorized" });
  });

  it.each([
    ["POST", "/api/agents", "GET"],
    ["PATCH", "/api/agents/a", "GET, PUT, DELETE"],
    ["GET", "/api/agents/a/chat", "POST"],
    ["GET", "/api/pause", "POST"],
    ["DELETE", "/api/messages", "GET"],
    ["PUT", "/api/runs/a.0123456789/cancel", "POST"],
    ["OPTIONS", "/api/config", "GET, PUT"],
  ])("%s %s is answered 405 and told what is allowed", async (method, path, allowed) => {
    const response = await request(path, { method });
    expect(response.headers.get("Allow")).toBe(allowed);
    expect(await errorOf(response)).toEqual({ status: 405, code: "method_not_allowed" });
  });

  it("can be asked for its head alone", async () => {
    const response = await request("/api/agents", { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });
});

describe("a body", () => {
  const bodies: [string, string, string[]][] = [
    ["no JSON", "{message: hi}", [""]],
    ["half of some", '{"message": "hi"', [""]],
    ["nothing", "", [""]],
    ["null", "null", [""]],
    ["a list", "[]", [""]],
    ["a text", '"hello"', [""]],
    ["an empty object", "{}", ["message"]],
    ["an empty message", '{"message": ""}', ["message"]],
    ["no text as message", '{"message": 7}', ["message"]],
    ["null as message", '{"message": null}', ["message"]],
    [
      "keys that nobody knows",
      '{"message": "hi", "parentRunId": "x", "rootRunId": "y"}',
      ["parentRunId", "rootRunId"],
    ],
    ["a key of the language", '{"message": "hi", "__proto__": {"a": 1}}', ["__proto__"]],
    ["a message beyond any size", JSON.stringify({ message: "x".repeat(8_000_001) }), ["message"]],
  ];

  it.each(bodies)("with %s is refused by each path", async (_name, body, paths) => {
    for (const route of ["chat", "runs"]) {
      const response = await request(`/api/agents/a/${route}`, { method: "POST", body });
      expect(await errorOf(response)).toEqual({ status: 400, code: "bad_request", paths });
    }
  });

  it("whose wait is no boolean is refused", async () => {
    const response = await send("POST", "/api/agents/a/runs", { message: "hi", wait: "no" });
    expect(await errorOf(response)).toEqual({ status: 400, code: "bad_request", paths: ["wait"] });
  });

  it("that is huge is refused, whether it tells its length or not", async () => {
    const huge = JSON.stringify({ message: "x".repeat(16_000_001) });
    const told = await request("/api/agents/a/chat", { method: "POST", body: huge });
    expect(await errorOf(told)).toEqual({ status: 413, code: "too_large" });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writing = new Blob([huge])
      .stream()
      .pipeTo(writable)
      .catch(() => "given up");
    const untold = await through({}, "/api/agents/a/chat", { method: "POST", body: readable });
    expect(await errorOf(untold)).toEqual({ status: 413, code: "too_large" });
    await writing;
  });

  it("that tells no length is read all the same", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writing = new Blob(['{"message":', '"hello"}']).stream().pipeTo(writable);
    const response = await through({}, "/api/agents/a/chat", { method: "POST", body: readable });
    expect(answerShape.parse(await response.json())).toMatchObject({ reply: "a heard: hello" });
    await writing;
  });

  it("with many faults is answered with a bounded list of them", async () => {
    const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n]));
    const { status, paths } = await errorOf(await send("POST", "/api/agents/a/chat", keys));
    expect(status).toBe(400);
    expect(paths?.length).toBeLessThanOrEqual(50);
  });
});

const AGENT_ROUTES: [string, string][] = CLOSED.filter(([, path]) => path.startsWith("/api/agents/x"));
const message = JSON.stringify({ message: "hello" });

describe("an agent's id", () => {
  it.each([
    "Bad",
    "no_one%7C",
    "%20",
    "a%2Fb",
    "-a",
    "%00",
    "a".repeat(64),
    "%F0%9F%8E%89",
    "..%2f..",
    "a'--",
  ])("%s that no agent can have is answered 404, at once and without an object being made", async (id) => {
    const before = await objectCount();
    for (const [method, path] of AGENT_ROUTES.filter(([verb]) => verb !== "PUT")) {
      const body = method === "POST" ? { body: message } : {};
      const response = await request(path.replace("/x", `/${id}`), { method, ...body });
      expect(await errorOf(response)).toEqual({ status: 404, code: "not_found" });
    }
    expect(await objectCount()).toBe(before);
  });

  it("that is unknown is answered 404 by every route", async () => {
    for (const [method, path] of AGENT_ROUTES.filter(([verb]) => verb !== "PUT")) {
      const body = method === "POST" ? { body: message } : {};
      const response = await request(path.replace("/x", "/ghost"), { method, ...body });
      expect({ path, ...(await errorOf(response)) }).toEqual({ path, status: 404, code: "not_found" });
    }
    const streamed = await request("/api/agents/ghost/chat", {
      method: "POST",
      body: message,
      headers: { Accept: "text/event-stream" },
    });
    expect(await errorOf(streamed)).toEqual({ status: 404, code: "not_found" });
  });
});

async function objectCount(): Promise<number> {
  const ids = await Promise.all([listDurableObjectIds(env.AGENTS), listDurableObjectIds(env.CHAINS)]);
  return ids.flat().length;
}

describe("a run's or chain's id", () => {
  it.each([
    "x",
    "a",
    "a.",
    ".0123456789",
    "a.short",
    "A.0123456789ab",
    "a%7C.0123456789ab",
    "%00",
    "a.0123456789%27--",
    "%F0%9F%8E%89.0123456789",
    "x".repeat(2_000),
    "..%2f..%2fhealth",
  ])("%s that the engine never made is answered 404, without an object being made", async (id) => {
    const before = await objectCount();
    for (const [method, path] of [
      ["GET", `/api/runs/${id}`],
      ["POST", `/api/runs/${id}/cancel`],
      ["GET", `/api/chains/${id}`],
      ["POST", `/api/chains/${id}/cancel`],
      ["POST", `/api/chains/${id}/release`],
      ["GET", `/api/messages/${id}`],
    ] as const)
      expect({ path, ...(await errorOf(await request(path, { method }))) }).toMatchObject({ status: 404 });
    expect(await objectCount()).toBe(before);
  });

  it("that was made for another run is answered 404", async () => {
    const paths = ["/api/runs/a.zzzzzzzzzz9999", "/api/chains/a.zzzzzzzzzz9999"];
    for (const path of paths) expect((await errorOf(await request(path))).status).toBe(404);
    const cancel = await request("/api/runs/a.zzzzzzzzzz9999/cancel", { method: "POST" });
    expect((await errorOf(cancel)).status).toBe(404);
  });
});

describe("a query", () => {
  it.each([
    ["/api/messages?limit=0", "limit"],
    ["/api/messages?limit=501", "limit"],
    ["/api/messages?limit=1.5", "limit"],
    ["/api/messages?limit=many", "limit"],
    ["/api/messages?limit=", "limit"],
    ["/api/messages?channel=gossip", "channel"],
    ["/api/messages?status=unknown", "status"],
    ["/api/messages?since=yesterday", "since"],
    ["/api/messages?until=2026-13-45", "until"],
    ["/api/messages?around=1", "around"],
    ["/api/messages?before=nonsense", "before"],
    ["/api/messages?after=%00%00", "after"],
    ["/api/messages?before=MSAy&after=MSAy", "around"],
    [`/api/messages?a=${"x".repeat(201)}`, "a"],
    ["/api/pairs?since=never", "since"],
    ["/api/audit?outcome=fine", "outcome"],
    ["/api/audit?limit=-1", "limit"],
    ["/api/audit?before=x", "before"],
    [`/api/audit?q=${"x".repeat(1_001)}`, "q"],
  ])("%s is refused by the parameter's name", async (path, parameter) => {
    expect(await errorOf(await request(path))).toEqual({
      status: 400,
      code: "bad_request",
      paths: [parameter],
    });
  });

  it.each([
    "a=%27%20OR%201=1%20--&b=%22",
    "a=%00&b=%00",
    "a=%ED%A0%80&b=b",
    "a=a&b=a%7Cb",
    "a=*&b=%25",
    "a[$ne]=x&__proto__=y&constructor=z",
    "since=2026-01-01T00:00:00Z&until=1999-01-01",
    "a=%E0%A4%A",
    "unknown=1&limit=5",
  ])("%s is harmless", async (query) => {
    for (const path of ["/api/messages", "/api/pairs"]) {
      const response = await request(`${path}?${query}`);
      expect(response.status).toBe(200);
      expect(JSON.stringify(await response.json())).not.toContain("a heard");
    }
  });
});
