import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isAllowed,
  normaliseAddress,
  normaliseAllowed,
  parseMailboxes,
} from "../../protocols/smtp/address.ts";

/** The addresses of a text, or null when it is refused. */
function addresses(text: string): readonly string[] | null {
  const parsed = parseMailboxes(text);
  return parsed.ok ? parsed.mailboxes.map(({ address }) => address) : null;
}

const allowed = ["ann@example.com", "@partner.example", "@xn--bcher-kva.example"];
/** Whether every recipient of the text may be written to; null when the text is refused as a whole. */
function mayWrite(text: string): boolean | null {
  return addresses(text)?.every((address) => isAllowed(address, allowed)) ?? null;
}

describe("texts become plain addresses", () => {
  it.each([
    ["ann@example.com", ["ann@example.com"]],
    ["Ann <ann@example.com>", ["ann@example.com"]],
    ['"Ann, Director" <ann@example.com>, bob@partner.example', ["ann@example.com", "bob@partner.example"]],
    ["ann@example.com; bob@partner.example", ["ann@example.com", "bob@partner.example"]],
    ["ann(at home)@example.com (Ann)", ["ann@example.com"]],
    ["Team: ann@example.com, Bob <bob@partner.example>;", ["ann@example.com", "bob@partner.example"]],
    ["ann@EXAMPLE.Com.", ["ann@example.com"]],
    ["ann@b\u00fccher.example", ["ann@xn--bcher-kva.example"]],
    ["ann@\uff45xample.com", ["ann@example.com"]],
    ["ann@example\u3002com", ["ann@example.com"]],
    ["ann+news@example.com", ["ann+news@example.com"]],
    ["ann@example.com <ann@example.com>", ["ann@example.com"]],
    ["undisclosed-recipients:;", []],
    ["", []],
  ])("%j", (text, expected) => {
    expect(addresses(text)).toEqual(expected);
  });

  it.each([
    ["a line break", "ann@example.com\r\nBcc: eve@evil.example"],
    ["a lone line feed", "ann@example.com\nBcc: eve@evil.example"],
    ["a NUL", "ann@example.com\0eve@evil.example"],
    ["another line end", "ann@example.com\u2028Bcc: eve@evil.example"],
    ["an encoded word", "=?utf-8?Q?x=0D=0ABcc:_eve@evil.example?= <ann@example.com>"],
    ["a name that is an address", '"ann@example.com" <eve@evil.example>'],
    ["two addresses without a comma", "ann@example.com eve@evil.example"],
    ["an address in a comment's place", "eve@evil.example (ann@example.com)"],
    ["a source route", "<@example.com:eve@evil.example>"],
    ["a percent route", "eve%evil.example@example.com"],
    ["a bang path", "evil!eve@example.com"],
    ["a pipe", "|cat@example.com"],
    ["an option", "-oQ/tmp@example.com"],
    ["two at signs", "eve@evil.example@example.com"],
    ["a quoted local part", '"eve@evil.example"@example.com'],
    ["a quoted blank", '"a b"@example.com'],
    ["a dot at the local part's end", "ann.@example.com"],
    ["two dots", "ann..b@example.com"],
    ["two final dots", "ann@example.com.."],
    ["an address literal", "ann@[192.0.2.1]"],
    ["a numeric host", "ann@2130706433"],
    ["a host without a dot", "root@localhost"],
    ["a port", "ann@example.com:25"],
    ["a path", "ann@example.com/x"],
    ["a percent-encoded dot", "ann@example%2ecom"],
    ["letters that look Latin", "\u0430nn@example.com"],
    ["no address", "Ann"],
    ["half an address", "ann@"],
    ["a local part of 65 characters", `${"a".repeat(65)}@example.com`],
    ["a label of 64 characters", `ann@${"a".repeat(64)}.com`],
    ["turned writing", "ann@example.com\u202e"],
  ])("not %s", (_name, text) => {
    expect(addresses(text)).toBeNull();
  });
});

describe("an allow-list", () => {
  it.each([
    ["ANN@Example.COM", true],
    ["bob@partner.example", true],
    ["bob@B\u00fcCHER.example", true],
    ["ann+x@example.com", false],
    ["bob@example.com", false],
    ["bob@sub.partner.example", false],
    ["bob@notpartner.example", false],
    ["bob@partner.example.evil.example", false],
    ["ann@ex\u0430mple.com", false],
    ["bob@p\u0430rtner.example", false],
    ["ann@example.com, eve@evil.example", false],
    ["Friends: ann@example.com, eve@evil.example;", false],
    ["ann@example.com <eve@evil.example>", null],
    ["<ann@example.com>eve@evil.example", null],
  ])("judges %j as %s", (text, expected) => {
    expect(mayWrite(text)).toBe(expected);
  });

  it("allows nobody when it is empty", () => {
    expect(isAllowed("ann@example.com", [])).toBe(false);
  });

  it("takes addresses and whole domains, in any spelling, and nothing else", () => {
    expect(["Ann@Example.COM", " @B\u00fccher.example ", "*@example.com"].map(normaliseAllowed)).toEqual([
      "ann@example.com",
      "@xn--bcher-kva.example",
      "@example.com",
    ]);
    for (const bad of [
      "",
      "@",
      "*",
      "*@",
      "a*@example.com",
      "@*.example.com",
      "example.com",
      "a@b@c.d",
      "@a b.c",
    ]) {
      expect({ bad, entry: normaliseAllowed(bad) }).toEqual({ bad, entry: null });
    }
  });
});

describe("whatever is written", () => {
  const pieces = fc.constantFrom(
    ...[
      "ann@example.com",
      "eve@evil.example",
      "<",
      ">",
      '"',
      ",",
      ";",
      ":",
      "(",
      ")",
      "\\",
      " ",
      "@",
      ".",
      "%",
    ],
    ...["\r\n", "\0", "Team:", "=?utf-8?Q?", "?=", "\u0430", "\uff20", "!", "[", "]", "xn--", "+x"],
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((list) => list.join("")),
    fc.string(),
  );

  it("only plain ASCII addresses come out, and they stay what they are", () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const address of addresses(text) ?? []) {
          expect(address).toMatch(/^[!-~]+@[a-z0-9.-]+$/);
          expect(normaliseAddress(address)).toBe(address);
          expect(addresses(address)).toEqual([address]);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
