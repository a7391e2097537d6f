import { describe, expect, it } from "vitest";
import { classifyFailure, retryAfterMs } from "../../core/model/failure.ts";

const classify = (status: number | null, body: unknown, retryAfter: number | null = null) =>
  classifyFailure({ status, body, retryAfterMs: retryAfter });

describe("a provider's error is sorted by status, code and text", () => {
  const cases: readonly [string, number | null, unknown, string][] = [
    ["401", 401, "no", "auth"],
    ["403", 403, "no", "auth"],
    ["400 about the key", 400, [{ error: { code: 400, message: "API key not valid." } }], "auth"],
    ["404", 404, "no", "not_found"],
    ["400 about the model", 400, { error: { message: "model 'x' not found" } }, "not_found"],
    ["408", 408, "", "overloaded"],
    ["409", 409, "", "overloaded"],
    ["500", 500, "", "overloaded"],
    ["503 with a page", 503, "<html><title>Busy</title></html>", "overloaded"],
    ["529", 529, "", "overloaded"],
    ["429", 429, { error: { message: "Rate limit reached" } }, "rate_limited"],
    ["429 about tokens", 429, "Too many tokens, please wait", "rate_limited"],
    ["429 that no wait can cure", 429, "Request too large for m on tokens per min", "context_overflow"],
    ["429 about quota with a hint", 429, "exceeded your current quota. Please retry in 20s", "rate_limited"],
    ["429 about quota", 429, "exceeded your current quota", "quota"],
    ["429 with the quota code", 429, { error: { code: "insufficient_quota", message: "x" } }, "quota"],
    ["402", 402, "", "quota"],
    ["400 about money", 400, { error: { message: "Your credit balance is too low" } }, "quota"],
    ["413", 413, "", "context_overflow"],
    [
      "the overflow code",
      400,
      { error: { code: "context_length_exceeded", message: "x" } },
      "context_overflow",
    ],
    ["a prompt too long", 400, { message: "prompt is too long: 9 tokens" }, "context_overflow"],
    ["a maximum length", 400, { error: "This model's maximum context length is 9" }, "context_overflow"],
    [
      "a window",
      400,
      { errors: [{ code: 5021, message: "exceeded this model context window limit" }] },
      "context_overflow",
    ],
    [
      "a context size",
      500,
      { error: { message: "the request exceeds the available context size" } },
      "context_overflow",
    ],
    [
      "an input count",
      400,
      { error: { message: "The input token count (9) exceeds the maximum" } },
      "context_overflow",
    ],
    [
      "an upstream's raw words",
      400,
      { error: { message: "Provider returned error", metadata: { raw: "prompt is too long" } } },
      "context_overflow",
    ],
    ["400", 400, { error: { message: "Invalid value" } }, "bad_request"],
    ["422", 422, { detail: [{ loc: ["body"], msg: "extra fields" }] }, "bad_request"],
    ["418", 418, "", "bad_request"],
    ["304", 304, "", "bad_response"],
    ["a number in a 200", null, { error: { code: "429", message: "x" } }, "rate_limited"],
    ["a word in a 200", null, { error: { type: "overloaded_error", message: "x" } }, "overloaded"],
    ["an unknown error in a 200", null, { error: { message: "boom" } }, "bad_response"],
    ["an error that is nothing", null, null, "bad_response"],
  ];
  it.each(cases)("%s", (_, status, body, code) => {
    expect(classify(status, body).code).toBe(code);
  });

  it("a quota with a time to come back is a rate limit", () => {
    expect(classify(429, "exceeded your current quota", 5_000).code).toBe("rate_limited");
  });

  it("keeps the provider's words, in one short line and without stack or markup", () => {
    const stack = "Something broke\n    at run (/srv/app.js:1:2)\n    at main (/srv/app.js:3:4)";
    expect(classify(500, { error: { message: stack } }).message).toBe("HTTP 500: Something broke");
    expect(classify(502, "<!DOCTYPE html><html><head><title>Bad\n gateway</title>").message).toBe(
      'HTTP 502: an HTML page titled "Bad gateway"',
    );
    expect(classify(400, "x".repeat(900_000)).message.length).toBeLessThan(20_100);
    expect(classify(503, "").message).toBe("HTTP 503: The provider gave no reason");
  });
});

describe("the time to come back", () => {
  const headers = (entries: Record<string, string>) => new Headers(entries);
  const noon = Date.parse("2026-12-01T12:00:00Z");
  const cases: readonly [string, Record<string, string>, number | null][] = [
    ["is absent without a header", {}, null],
    ["is in seconds", { "retry-after": "120" }, 120_000],
    ["may have a fraction", { "retry-after": "0.5" }, 500],
    ["is in milliseconds where those are given", { "retry-after-ms": "250", "retry-after": "9" }, 250],
    ["is never negative", { "retry-after": "-3" }, 0],
    ["is a date by our clock", { "retry-after": "Tue, 01 Dec 2026 12:00:30 GMT" }, 30_000],
    [
      "is a date by the provider's clock when it tells",
      { "retry-after": "Tue, 01 Dec 2026 12:00:30 GMT", date: "Tue, 01 Dec 2026 11:59:00 GMT" },
      90_000,
    ],
    ["is now for a date gone by", { "retry-after": "Tue, 01 Dec 2026 11:00:00 GMT" }, 0],
    ["is absent when it cannot be read", { "retry-after": "soon" }, null],
  ];
  it.each(cases)("%s", (_, entries, expected) => {
    expect(retryAfterMs(headers(entries), noon)).toBe(expected);
  });

  it("is absent for a date when no clock is there", () => {
    expect(retryAfterMs(headers({ "retry-after": "Tue, 01 Dec 2026 12:00:30 GMT" }), null)).toBeNull();
  });
});
