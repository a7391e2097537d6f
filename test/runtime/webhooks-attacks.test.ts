import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { createHookSchema, deliveredRun, rememberDelivery } from "../../core/hooks/deliveries.ts";
import { objectDatabase } from "../../durable-objects/sqlite.ts";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { TOKEN } from "./support/api.ts";
import { countedHub, through } from "./support/door.ts";
import { call, deliver, now, sign, signedHeaders, started } from "./support/hooks.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch } from "./support/watched-world.ts";

const secret = TEST_SECRETS.TEST_SECRET_A;
const body = '{"n":1}';
const path = "/hooks/a/orders";

beforeAll(async () => {
  resetWatch();
  const reference = { $secret: "TEST_SECRET_A" };
  await team([
    agent("a", {
      webhooks: [
        { name: "orders", secret: reference },
        { name: "off", secret: reference, enabled: false },
        { name: "unset", secret: { $secret: "NOBODY_SET_THIS" } },
        { name: "other", secret: { $secret: "TEST_SECRET_C" } },
      ],
    }),
    agent("bare"),
  ]);
});

const ago = (seconds: number) => String(Number(now()) - seconds);
type Change = (headers: Record<string, string>) => Promise<Record<string, string>> | Record<string, string>;
const without =
  (name: string): Change =>
  (headers) =>
    Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
const withSignature =
  (change: (signature: string) => string): Change =>
  (headers) => ({ ...headers, "X-Hub-Signature-256": change(headers["X-Hub-Signature-256"] ?? "") });
const at =
  (timestamp: string): Change =>
  async () =>
    signedHeaders({ secret, body, timestamp });

const attacks: [string, Change][] = [
  ["no signature", without("X-Hub-Signature-256")],
  ["no timestamp", without("X-Parley-Timestamp")],
  ["no delivery", without("X-Parley-Delivery")],
  ["nothing but the token", () => ({ Authorization: `Bearer ${TOKEN}` })],
  ["another secret's signature", () => signedHeaders({ secret: "another", body })],
  ["an empty secret's signature", () => signedHeaders({ secret: " ", body })],
  ["another body's signature", () => signedHeaders({ secret, body: '{"n":2}' })],
  [
    "the body's signature alone",
    async (all) => ({ ...all, "X-Hub-Signature-256": await sign(secret, body) }),
  ],
  ["a timestamp that was not signed", (all) => ({ ...all, "X-Parley-Timestamp": ago(1) })],
  ["an old timestamp", at(ago(310))],
  ["a timestamp ahead", at(ago(-310))],
  ["milliseconds", at(String(Date.now()))],
  ["a timestamp with a sign", at(`+${now()}`)],
  ["a timestamp in hexadecimal", at(`0x${Number(now()).toString(16)}`)],
  ["a timestamp with a fraction", at(`${now()}.0`)],
  ["an endless timestamp", at("Infinity")],
  ["a timestamp that eats the dot", at(`${now()}.`)],
  ["an empty timestamp", at("")],
  ["another algorithm's name", withSignature((text) => text.replace("sha256=", "sha1="))],
  ["the name in capitals", withSignature((text) => text.replace("sha256=", "SHA256="))],
  ["no algorithm", withSignature((text) => text.replace("sha256=", ""))],
  ["no algorithm but its sign", withSignature((text) => text.replace("sha256", ""))],
  ["the algorithm none", withSignature(() => "none=")],
  ["the algorithm alone", withSignature(() => "sha256=")],
  ["two algorithms", withSignature((text) => `sha256=${text}`)],
  ["two signatures", withSignature((text) => `${text},${text}`)],
  ["one of several signatures", withSignature((text) => `sha256=${"0".repeat(64)}, ${text}`)],
  ["capital digits", withSignature((text) => `sha256=${text.slice(7).toUpperCase()}`)],
  ["half a signature", withSignature((text) => text.slice(0, 39))],
  ["a byte more", withSignature((text) => `${text}00`)],
  ["zeros", withSignature(() => `sha256=${"0".repeat(64)}`)],
  ["base64", withSignature((text) => `sha256=${btoa(text.slice(7))}`)],
  ["a very long signature", withSignature((text) => text + "0".repeat(8_000))],
  ["a delivery of many characters", (all) => ({ ...all, "X-Parley-Delivery": "x".repeat(201) })],
  ["an empty delivery", (all) => ({ ...all, "X-Parley-Delivery": "" })],
];

/** The whole of a refusal: nobody can tell one from another. */
async function refusal(response: Response) {
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, headers, text: await response.text() };
}

const objectCount = async () => (await listDurableObjectIds(env.AGENTS)).length;

describe("a call that is not right", () => {
  it.each(attacks)("with %s is refused like all others", async (_name, change) => {
    const expected = await refusal(await call("/hooks/ghost/none", { body }));
    expect(expected.status).toBe(401);
    expect(expected.text).not.toMatch(/agent|ghost|none/);
    const headers = await change(await signedHeaders({ secret, body }));
    expect(await refusal(await call(path, { headers, body }))).toEqual(expected);
  });

  it.each([
    "/hooks/ghost/orders",
    "/hooks/bare/orders",
    "/hooks/a/none",
    "/hooks/a/off",
    "/hooks/a/unset",
    "/hooks/a/other",
    "/hooks/a/ORDERS",
    "/hooks/A/orders",
    "/hooks/a/%00",
    "/hooks/a%2Forders/orders",
    "/hooks/a/orders/more",
    "/hooks/a",
    "/hooks",
    "/hooks/__proto__/constructor",
    "/hooks/a@t1/orders",
  ])("is refused alike at %s, and no object is made", async (address) => {
    const expected = await refusal(await call("/hooks/ghost/none", { body }));
    const before = await objectCount();
    expect(await refusal(await deliver(address, { secret, body }))).toEqual(expected);
    expect(await objectCount()).toBe(before);
  });

  it.each(["none", "undefined", "null", " ", "NOBODY_SET_THIS"])(
    "is refused alike where no secret is set, also when it is signed with %j",
    async (guess) => {
      const expected = await refusal(await call("/hooks/ghost/none", { body }));
      for (const address of ["/hooks/a/unset", "/hooks/a/none", "/hooks/ghost/orders"])
        expect(await refusal(await deliver(address, { secret: guess, body }))).toEqual(expected);
    },
  );

  it.each(["GET", "PUT", "DELETE", "PATCH", "OPTIONS"])("is refused alike as %s", async (method) => {
    const headers = await signedHeaders({ secret, body: "" });
    expect((await call(path, { method, headers })).status).toBe(401);
  });

  it("opens no other door with its signature", async () => {
    const headers = await signedHeaders({ secret, body });
    expect((await call("/api/agents/a/chat", { headers, body })).status).toBe(401);
    expect((await call("/v1/chat/completions", { headers, body })).status).toBe(401);
  });

  it("is refused when its body has changed in a single invisible character", async () => {
    const signed = "Gr\u00fc\u00dfe";
    const headers = await signedHeaders({ secret, body: signed });
    for (const other of ["Gru\u0308\u00dfe", `\ufeff${signed}`, `${signed}\n`, `${signed}\u200b`])
      expect((await call(path, { headers, body: other })).status).toBe(401);
    expect((await call(path, { headers, body: signed })).status).toBe(202);
  });

  it("is refused when it is too large, whether it tells its length or not, right or wrong", async () => {
    const huge = "x".repeat(1_000_001);
    expect((await deliver(path, { secret, body: huge })).status).toBe(413);
    expect((await call("/hooks/ghost/none", { body: huge })).status).toBe(413);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writing = new Blob([huge])
      .stream()
      .pipeTo(writable)
      .catch(() => "given up");
    const headers = await signedHeaders({ secret, body: huge });
    expect((await through({}, path, { method: "POST", headers, body: readable })).status).toBe(413);
    await writing;
  });

  it("is refused by its headers alone, before a byte of its body is there", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const headers = { "X-Hub-Signature-256": "sha256=00" };
    expect((await through({}, path, { method: "POST", headers, body: readable })).status).toBe(401);
    await writable.abort().catch(() => "nobody reads");
  });

  it("by the hundred is no flood for the hub", async () => {
    const hub = countedHub();
    const headers = await signedHeaders({ secret: "guess", body });
    const flood = Array.from({ length: 400 }, () =>
      through(hub.env, path, { method: "POST", headers, body }),
    );
    const right = await signedHeaders({ secret, body });
    expect((await through(hub.env, path, { method: "POST", headers: right, body })).status).toBe(202);
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([401]));
    expect(hub.calls()).toBeLessThan(300);
  });

  it("does not use up the delivery that it pretends to be", async () => {
    const wrong = await signedHeaders({ secret: "guess", body, deliveryId: "wanted" });
    expect((await call(path, { headers: wrong, body })).status).toBe(401);
    const right = await deliver(path, { secret, body, deliveryId: "wanted", timestamp: ago(7) });
    expect((await started(right)).status).toBe(202);
  });
});

describe("what an agent remembers of deliveries", () => {
  const DAY_MS = 86_400_000;

  it("holds for a day and is bounded", async () => {
    const stub = env.AGENTS.get(env.AGENTS.idFromName("memory"));
    await runInDurableObject(stub, (_, state) => {
      const db = objectDatabase(state.storage);
      createHookSchema(db);
      const known = (mark: string) => ({ hook: "h", marks: [mark] });
      const count = () => db.all("SELECT count(*) AS n FROM HookDeliveries")[0]?.n;
      rememberDelivery(db, known("x"), { runId: "r1", now: 1_000 });
      expect(deliveredRun(db, known("x"), 1_000 + DAY_MS)).toBe("r1");
      expect(deliveredRun(db, { hook: "other", marks: ["x"] }, 1_000)).toBeNull();
      expect(deliveredRun(db, known("x"), 1_001 + DAY_MS)).toBeNull();
      rememberDelivery(db, known("x"), { runId: "r2", now: 1_001 + DAY_MS });
      expect(deliveredRun(db, known("x"), 1_001 + DAY_MS)).toBe("r2");
      db.transaction(() => {
        for (let n = 0; n < 20_010; n += 1)
          rememberDelivery(db, known(`m${n}`), { runId: "r3", now: 2_000 + DAY_MS });
      });
      expect(count()).toBe(20_000);
      expect(deliveredRun(db, known("x"), 2_000 + DAY_MS)).toBeNull();
      rememberDelivery(db, known("late"), { runId: "r4", now: 3_000 + 2 * DAY_MS });
      expect(count()).toBe(19_981);
    });
  });
});
