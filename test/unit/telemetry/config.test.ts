import { describe, expect, it } from "vitest";
import { checkInstance } from "../../../core/config/check.ts";

const check = (telemetry: unknown) => checkInstance({ id: "test", telemetry });
const endpoint = "https://otel.example/otlp";

describe("where the instance tells of its runs", () => {
  it("may be missing, and is filled up with what is usual", () => {
    const without = checkInstance({ id: "test" });
    expect(without.ok && without.instance.telemetry).toBe(undefined);
    const checked = check({ endpoint });
    expect(checked.ok && checked.instance.telemetry).toEqual({
      endpoint,
      headers: {},
      encoding: "json",
      payloads: false,
      sampleRatio: 1,
    });
  });

  it.each([
    ["no endpoint", {}, "telemetry.endpoint"],
    ["no address", { endpoint: "otel.example" }, "telemetry.endpoint"],
    ["another scheme", { endpoint: "grpc://otel.example:4317" }, "telemetry.endpoint"],
    ["credentials in the address", { endpoint: "https://a:b@otel.example" }, "telemetry.endpoint"],
    ["a key in the query", { endpoint: "https://otel.example?api_key=x" }, "telemetry.endpoint"],
    [
      "a secret's value",
      { endpoint, headers: { authorization: "Basic x" } },
      "telemetry.headers.authorization",
    ],
    ["a header that is none", { endpoint, headers: { "a b": { $secret: "X" } } }, 'telemetry.headers["a b"]'],
    [
      "a header of the exporter's own",
      { endpoint, headers: { "Content-Type": { $secret: "X" } } },
      "telemetry.headers.Content-Type",
    ],
    ["a ratio above 1", { endpoint, sampleRatio: 2 }, "telemetry.sampleRatio"],
    ["an unknown key", { endpoint, protocol: "grpc" }, "telemetry.protocol"],
  ])("is refused with %s", (_name, telemetry, path) => {
    const checked = check(telemetry);
    expect(checked.ok ? [] : checked.issues.map((issue) => issue.path)).toEqual([path]);
  });
});
