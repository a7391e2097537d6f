import { describe, expect, it } from "vitest";
import { createScrubber } from "../../core/scrub/index.ts";
import { ordinaryTexts } from "./scrub-ordinary-texts.ts";
import { characters, encode, encoders, sequence } from "./scrub-samples.ts";

const next = sequence(23);
const secrets = new Map(Array.from({ length: 10 }, (_, i) => [`KEY_${i}`, characters(next, 40)] as const));
const { scrub, scrubJson } = createScrubber(secrets);
const texts = ordinaryTexts(3_000);

describe("L5 ordinary texts", () => {
  it("stay as they are, three thousand different ones", () => {
    expect(new Set(texts).size).toBeGreaterThanOrEqual(3_000);
    expect(texts.filter((text) => scrub(text) !== text).map((text) => [text, scrub(text)])).toEqual([]);
  });

  it("stay as they are in one long text", () => {
    const all = texts.join("\n");
    expect(scrub(all) === all).toBe(true);
  });

  it.each(Object.keys(encoders))("stay as they are encoded as %s", (name) => {
    const encoded = texts.map((text) => encode(text, [name]));
    expect(encoded.filter((text) => scrub(text) !== text)).toEqual([]);
  });

  it("stay as they are in documents", () => {
    const document = {
      texts,
      nested: [{ note: texts[0], tokens: 1_234_567_890_123, password: "see the vault" }],
    };
    expect(scrubJson(document)).toEqual(document);
  });

  it("hold a secret in one place and stay as they are in all others", () => {
    for (const [i, text] of texts.slice(0, 500).entries()) {
      const [name = "", value = ""] = [...secrets][i % 10] ?? [];
      expect(scrub(`${text}\n${value}\n${text}`)).toBe(`${text}\n[secret:${name}]\n${text}`);
    }
  });
});
