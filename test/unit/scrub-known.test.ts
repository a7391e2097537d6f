import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScrubber, holdsMask, knownSecrets } from "../../core/scrub/index.ts";
import { encode, encoders, encoding, fragment, secretText, wrappers } from "./scrub-samples.ts";

const key = 'a/b+c%2F=="x\\y';
const pem = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(3)}x9Zq\n-----END PRIVATE KEY-----\n`;
const scrubber = createScrubber(
  new Map([
    ["KEY", key],
    ["PEM", pem],
    ["PHRASE", "correct horse battery staple"],
  ]),
);

describe("L5 known secrets", () => {
  it.each(Object.keys(encoders))("masks a secret in the encoding %s exactly", (name) => {
    expect(scrubber.scrub(`before (${encode(key, [name])}) after`)).toBe("before ([secret:KEY]) after");
  });

  it.each(Object.keys(wrappers))("masks a secret inside a longer text encoded as %s", (name) => {
    const masked = scrubber.scrub(`before ${encode(key, [name])} after`);
    expect(masked).toMatch(/^before [\w+/=\s-]*\[secret:KEY\][\w+/=\s-]* after$/);
    expect(masked).not.toContain(encode(key, [name]).slice(4, -4));
  });

  it("masks base64 whose characters shared with the neighbours were cut off or replaced", () => {
    const inner = encode(key, ["base64After2"]).slice(3, 21);
    expect(scrubber.scrub(inner)).not.toContain(inner.slice(2, -2));
    expect(scrubber.scrub(`QUJD${inner}WFla`)).toContain("[secret:KEY]");
  });

  it("masks any secret in any encodings up to three deep, and nothing around it", () => {
    fc.assert(
      fc.property(secretText, encoding, (secret, names) => {
        const { scrub } = createScrubber(new Map([["NAME", secret]]));
        const masked = scrub(`before (${encode(secret, names)}) after`);
        expect(masked).toBe("before ([secret:NAME]) after");
      }),
      { numRuns: 400 },
    );
  });

  it("masks any secret inside a longer text, itself encoded once more", () => {
    const wrapping = fc.tuple(
      fc.constantFrom(...Object.keys(wrappers)),
      fc.constantFrom(...Object.keys(encoders)),
    );
    fc.assert(
      fc.property(secretText, wrapping, (secret, names) => {
        const { scrub } = createScrubber(new Map([["NAME", secret]]));
        expect(scrub(`before ${encode(secret, names)} after`)).toMatch(/^before .*\[secret:NAME\].* after$/s);
      }),
      { numRuns: 400 },
    );
  });

  it("masks any secret whatever stands around it", () => {
    fc.assert(
      fc.property(secretText, fc.array(fragment), fc.array(fragment), (secret, before, after) => {
        const { scrub } = createScrubber(new Map([["NAME", secret]]));
        const masked = scrub(`${before.join("")}${secret}${after.join("")}`);
        expect(masked.includes(secret)).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ["]aaaaa+\t^", "[secret", ""],
    ["]b1b1b1b1]", "[secret:X", "]"],
  ])("masks %j between %j and %j, where it could pass for the end of a mask", (secret, before, after) => {
    const { scrub } = createScrubber(new Map([["NAME", secret]]));
    const masked = scrub(before + secret + after);
    expect(masked.includes(secret.slice(1))).toBe(false);
    expect(scrub(masked)).toBe(masked);
  });

  it("masks secrets with spaces and line breaks in every spelling of them", () => {
    for (const text of [
      "correct+horse+battery+staple",
      "correct%20horse battery+staple",
      "correct\\u0020horse battery staple",
    ]) {
      expect(scrubber.scrub(`a=${text};`)).toBe("a=[secret:PHRASE];");
    }
    expect(scrubber.scrub(`${pem}end`)).toBe("[secret:PEM]\nend");
    expect(scrubber.scrub(JSON.stringify({ pem }))).toBe('{"pem":"[secret:PEM]\\n"}');
  });

  it("masks single lines of a key with several", () => {
    expect(scrubber.scrub(`> ${pem.split("\n")[1]} <`)).toBe("> [secret:PEM] <");
  });

  it("takes the longest secret where one contains another, and masks both where they overlap", () => {
    const { scrub } = createScrubber(
      new Map([
        ["SHORT", "abcdefgh"],
        ["LONG", "12abcdefgh34"],
        ["NEXT", "efghijklmnop"],
      ]),
    );
    expect(scrub("12abcdefgh34")).toBe("[secret:LONG]");
    expect(scrub("abcdefgh")).toBe("[secret:SHORT]");
    expect(scrub("x abcdefghijklmnop y")).toBe("x [secret:NEXT] y");
    expect(scrub("abcdefgh12abcdefgh34")).toBe("[secret:SHORT][secret:LONG]");
  });

  it("changes nothing when it scrubs again", () => {
    fc.assert(
      fc.property(secretText, secretText, fc.array(fragment, { maxLength: 30 }), (a, b, fragments) => {
        const { scrub } = createScrubber(
          new Map([
            ["A", a],
            ["B", b],
          ]),
        );
        const once = scrub(
          fragments.flatMap((text, i) => [text, i % 3 === 0 ? a : "", i % 4 === 0 ? b : ""]).join(""),
        );
        expect(scrub(once)).toBe(once);
      }),
      { numRuns: 400 },
    );
  });

  it("replaces lone surrogates, which the database would not keep", () => {
    expect(scrubber.scrub("a\ud83d b\ude00 c😀")).toBe("a\ufffd b\ufffd c😀");
  });

  it("looks for nothing shorter than eight characters", () => {
    expect(createScrubber(new Map([["A", "short"]])).scrub("a short text")).toBe("a short text");
  });
});

describe("L5 the environment's secrets", () => {
  it("are its strings of eight or more characters that are not plain", () => {
    const env = {
      API_TOKEN: "12345678",
      SHORT: "1234567",
      PUBLIC_URL: "https://example.com",
      DB: { prepare: 1 },
      N: 12345678,
    };
    expect([...knownSecrets(env, ["PUBLIC_URL"])]).toEqual([["API_TOKEN", "12345678"]]);
  });
});

describe("L5 structured data", () => {
  it("is scrubbed in strings, keys, numbers and named fields, at any depth", () => {
    const { scrubJson } = createScrubber(
      new Map([
        ["KEY", "a/b+c%2F=="],
        ["PIN", "1234567890"],
      ]),
    );
    const value = {
      list: [{ "a/b+c%2F==": "x a/b+c%2F== y" }, 1234567890, 42, null, true],
      password: "Tr0ub4dor&3",
    };
    expect(scrubJson(value)).toEqual({
      list: [{ "[secret:KEY]": "x [secret:KEY] y" }, "[secret:PIN]", 42, null, true],
      password: "[secret]",
    });
  });

  it("keeps every field when keys get the same mask, and survives any depth", () => {
    const { scrubJson } = createScrubber(new Map([["A", "abcdefgh"]]));
    expect(Object.keys(Object(scrubJson({ abcdefgh: 1, YWJjZGVmZ2g: 2 })))).toHaveLength(2);
    let deep: unknown = "abcdefgh";
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(JSON.stringify(scrubJson(deep))).not.toContain("abcdefgh");
  });
});

describe("L5 masks", () => {
  it("are recognised wherever they stand", () => {
    for (const text of ["[secret]", "x [secret:API_TOKEN] y", '{\\"key\\":\\"[secret:A.b-c]\\"}']) {
      expect(holdsMask(text)).toBe(true);
    }
  });

  it("are not seen in other texts", () => {
    for (const text of [
      "secret",
      "[secret",
      "[secret:]",
      "[secrets]",
      "the [Secret] garden",
      "[secret: see below]",
    ]) {
      expect(holdsMask(text)).toBe(false);
    }
  });

  it("carry the secret's name in plain characters", () => {
    const { scrub } = createScrubber(new Map([["my key]", "abcdefgh"]]));
    expect(scrub("abcdefgh")).toBe("[secret:my_key_]");
    expect(holdsMask(scrub("abcdefgh"))).toBe(true);
  });
});
