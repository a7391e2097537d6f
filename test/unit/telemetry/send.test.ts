/** What an endpoint's answers mean, over real connections. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TelemetryConfig } from "../../../core/config/telemetry.ts";
import { otlpBody } from "../../../core/telemetry/otlp.ts";
import { sendSpans, tracesUrl } from "../../../core/telemetry/send.ts";
import type { Span } from "../../../core/telemetry/span.ts";
import {
  json,
  type ModelReply,
  type ModelServer,
  startModelServer,
  text,
} from "../../support/model-server.ts";
import { parseOtlp } from "../../support/otlp-shape.ts";

const span: Span = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentSpanId: null,
  name: "chat m",
  kind: "client",
  startedAt: 1_780_000_000_123,
  endedAt: 1_780_000_001_456,
  attributes: {
    "gen_ai.usage.input_tokens": 12,
    "gen_ai.response.finish_reasons": ["stop"],
    x: 0.5,
    y: true,
  },
  failed: true,
};

let server: ModelServer;
let reply: ModelReply | "reset" = json({});
beforeAll(async () => {
  server = await startModelServer(() => reply);
});
afterAll(() => server.close());

function send(changes: Partial<TelemetryConfig> = {}, secrets: Record<string, string> = {}) {
  const config: TelemetryConfig = {
    endpoint: server.baseUrl.replace(/\/v1$/, ""),
    headers: {},
    encoding: "json",
    payloads: false,
    sampleRatio: 1,
    ...changes,
  };
  const body = otlpBody([span], { instanceId: "test", encoding: config.encoding });
  return sendSpans({ fetch, secrets, now: Date.now }, config, body);
}

it("spans arrive as strict OTLP/JSON, with times in nanoseconds", async () => {
  reply = json({ partialSuccess: {} });
  expect(await send()).toEqual({ ok: true, rejected: 0 });
  const request = server.requests.at(-1);
  expect(request).toMatchObject({ method: "POST", path: "/v1/traces" });
  expect(request?.headers["content-type"]).toBe("application/json");
  expect(parseOtlp(request?.body)).toMatchObject([
    { ...pick(span), failed: true, attributes: span.attributes },
  ]);
  expect(JSON.stringify(request?.body)).toContain('"startTimeUnixNano":"1780000000123000000"');
  expect(JSON.stringify(request?.body)).toContain('"endTimeUnixNano":"1780000001456000000"');
  expect(JSON.stringify(request?.body)).toContain('"key":"service.name","value":{"stringValue":"parley"}');
});

function pick({ traceId, spanId, parentSpanId, name }: Span) {
  return { traceId, spanId, parentSpanId, name };
}

it("go as protobuf where the backend takes nothing else", async () => {
  reply = text("");
  expect(await send({ encoding: "protobuf" })).toEqual({ ok: true, rejected: 0 });
  expect(server.requests.at(-1)?.headers["content-type"]).toBe("application/x-protobuf");
  const { bytes } = otlpBody([span], { instanceId: "test", encoding: "protobuf" });
  // Field 1 of the request, length-delimited; ids are bytes there.
  expect(bytes[0]).toBe(0x0a);
  expect(Buffer.from(bytes).includes(Buffer.from(span.traceId, "hex"))).toBe(true);
});

it.each([
  ["https://a.example", "https://a.example/v1/traces"],
  ["https://a.example/otlp/", "https://a.example/otlp/v1/traces"],
  ["https://a.example/v1/traces", "https://a.example/v1/traces"],
])("the endpoint %s is posted to at %s", (endpoint, url) => {
  expect(tracesUrl(endpoint)).toBe(url);
});

describe("an answer", () => {
  it.each<[string, ModelReply | "reset", object]>([
    ["200 with rejected spans", json({ partialSuccess: { rejectedSpans: "3" } }), { ok: true, rejected: 3 }],
    ["200 with garbage", text("<html>\0"), { ok: true, rejected: 0 }],
    ["200 with a number", text("7"), { ok: true, rejected: 0 }],
    ["400", text("no", 400), { ok: false, code: "refused" }],
    ["401", json({ secret: "x" }, 401), { ok: false, code: "refused", reason: "it answered 401" }],
    ["a redirect", text("", 302, { location: "/elsewhere" }), { ok: false, code: "refused" }],
    ["429", text("", 429, { "retry-after": "7" }), { ok: false, code: "busy", retryAfterMs: 7_000 }],
    ["503 without a time", text("", 503), { ok: false, code: "busy", retryAfterMs: null }],
    ["a broken connection", "reset", { ok: false, code: "busy" }],
  ])("of %s is understood", async (_name, given, outcome) => {
    reply = given;
    expect(await send()).toMatchObject(outcome);
    expect(server.requests.at(-1)?.path).toBe("/v1/traces");
  });

  it("does not come from where nobody listens", async () => {
    expect(await send({ endpoint: "http://127.0.0.1:1" })).toMatchObject({ ok: false, code: "busy" });
  });
});

describe("headers", () => {
  const headers = { Authorization: { $secret: "OTEL_AUTH" } };

  it("are the secrets that the config names", async () => {
    reply = json({});
    await send({ headers }, { OTEL_AUTH: "Basic YTpi" });
    expect(server.requests.at(-1)?.headers.authorization).toBe("Basic YTpi");
  });

  it("of which a secret is missing or no header value are refused without their values (L5)", async () => {
    const before = server.requests.length;
    expect(await send({ headers })).toMatchObject({ ok: false, code: "refused" });
    const broken = await send({ headers }, { OTEL_AUTH: "Basic x\r\nX-Evil: 1" });
    expect(broken).toEqual({ ok: false, code: "refused", reason: "a header's secret is no header value" });
    expect(server.requests).toHaveLength(before);
  });
});
