import { describe, expect, it } from "vitest";
import { createPricer, type OwnPrice, type PriceInput } from "../../core/model/price.ts";
import type { Usage } from "../../core/model/types.ts";
import manifest from "../../package.json" with { type: "json" };

const price = createPricer(() => Date.parse("2026-12-01T12:00:00Z"));
const tokens = (inputTokens: number, cachedInputTokens: number, outputTokens: number): Usage => ({
  inputTokens,
  cachedInputTokens,
  outputTokens,
  reasoningTokens: 0,
});
const call = (more: Partial<PriceInput>): PriceInput => ({
  provider: "openai",
  model: "gpt-5-mini",
  baseUrl: null,
  usage: tokens(100, 80, 20),
  ownPrice: null,
  ...more,
});
const TABLE = "genai-prices@0.1.8";
const UNKNOWN = { costMicros: null, source: null };
const own: OwnPrice = { inputPerMTok: 3, cachedInputPerMTok: 0.5, outputPerMTok: 10 };

describe("the price of a model call, by hand", () => {
  it("takes cached tokens at their own price: 20 x 0.25 + 80 x 0.025 + 20 x 2 = 47", () => {
    expect(price(call({}))).toEqual({ costMicros: 47, source: TABLE });
  });

  it("takes the higher tier for the whole call when the input is long", () => {
    const model = "gpt-5.4";
    // 271,999 x 2.5 + 1,000 x 15, and from 272,000 on 272,000 x 5 + 1,000 x 22.5.
    expect(price(call({ model, usage: tokens(271_999, 0, 1_000) })).costMicros).toBe(694_998);
    expect(price(call({ model, usage: tokens(272_000, 0, 1_000) })).costMicros).toBe(1_382_500);
  });

  it("counts reasoning once, as part of the output", () => {
    const usage = { ...tokens(100, 80, 20), reasoningTokens: 15 };
    expect(price(call({ usage })).costMicros).toBe(47);
    expect(price(call({ usage, ownPrice: own })).costMicros).toBe(300);
  });

  it("has the agent's own price win: 20 x 3 + 80 x 0.5 + 20 x 10 = 300", () => {
    expect(price(call({ ownPrice: own }))).toEqual({ costMicros: 300, source: "config" });
  });

  it("takes cached tokens as input where the own price has none for them: 100 x 3 + 20 x 10 = 500", () => {
    const { cachedInputPerMTok: _, ...flat } = own;
    expect(price(call({ ownPrice: flat })).costMicros).toBe(500);
  });

  it("is zero only when the own price says so", () => {
    const free = { inputPerMTok: 0, outputPerMTok: 0 };
    expect(price(call({ ownPrice: free, model: "local" }))).toEqual({ costMicros: 0, source: "config" });
  });

  it("clamps cached tokens to the input: 100 x 0.025 + 20 x 2 = 42.5, rounded", () => {
    expect(price(call({ usage: tokens(100, 200, 20) })).costMicros).toBe(43);
    expect(price(call({ usage: tokens(100, 200, 20), ownPrice: own })).costMicros).toBe(250);
  });

  it("is whole micro-dollars", () => {
    expect(price(call({ usage: tokens(1, 0, 1) })).costMicros).toBe(2);
    expect(price(call({ usage: tokens(1, 1, 0), ownPrice: own })).costMicros).toBe(1);
  });
});

describe("an unknown price stays unknown", () => {
  const cases: readonly [string, Partial<PriceInput>][] = [
    ["for an unknown model", { model: "nobody-knows-this" }],
    ["for a known model's name on one's own machine", { baseUrl: "http://127.0.0.1:11434/v1" }],
    ["for another maker's model at OpenAI", { model: "claude-sonnet-4-6" }],
    ["without usage", { usage: null }],
    ["without usage in spite of an own price", { usage: null, ownPrice: own }],
    ["for the scripted model", { provider: "scripted" }],
    ["for an unknown provider", { provider: "other" }],
    [
      "behind a gateway for all, with no maker in the name",
      { baseUrl: "https://gateway.ai.cloudflare.com/v1/a/g/compat" },
    ],
  ];
  it.each(cases)("%s", (_, more) => {
    expect(price(call(more))).toEqual(UNKNOWN);
  });
});

describe("who sells the model", () => {
  const gateway = "https://gateway.ai.cloudflare.com/v1/account/gateway";
  const llama = "@cf/meta/llama-3.3-70b-instruct-fp8-fast";
  // Llama: 100 x 0.293 + 20 x 2.253 = 74.36.
  const cases: readonly [string, Partial<PriceInput>, number][] = [
    ["is Cloudflare for the binding", { provider: "workers-ai", model: llama }, 74],
    ["is told by the address", { baseUrl: "https://api.openai.com/v1" }, 47],
    [
      "is told by OpenRouter's address",
      { baseUrl: "https://openrouter.ai/api/v1", model: "openai/gpt-5-mini" },
      47,
    ],
    ["is in a gateway's path", { baseUrl: `${gateway}/openai` }, 47],
    [
      "is in a gateway's path, under its name there",
      { baseUrl: `${gateway}/workers-ai/v1`, model: llama },
      74,
    ],
    [
      "is in the model's name behind a gateway for all",
      { baseUrl: `${gateway}/compat`, model: "openai/gpt-5-mini" },
      47,
    ],
  ];
  it.each(cases)("%s", (_, more, costMicros) => {
    expect(price(call(more))).toEqual({ costMicros, source: TABLE });
  });

  it("names the table by the version that is installed", () => {
    expect(TABLE).toBe(`genai-prices@${manifest.dependencies["@pydantic/genai-prices"]}`);
  });
});
