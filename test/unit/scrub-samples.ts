/** Secrets, encoders and texts for the scrubber's tests. */
import fc from "fast-check";

/** A small deterministic generator, so that every run of the tests sees the same texts. */
export function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Random characters of an alphabet. */
export function characters(next: (below: number) => number, length: number, alphabet = ALPHANUMERIC): string {
  return Array.from({ length }, () => alphabet.charAt(next(alphabet.length))).join("");
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64");
const percent = (text: string) =>
  [...bytesOf(text)]
    .map((byte) =>
      /[A-Za-z0-9]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, "0").toUpperCase()}`,
    )
    .join("");
const jsonString = (text: string) => JSON.stringify(text).slice(1, -1);

/** Encoders that turn a text into the whole of the encoded one. */
export const encoders: Readonly<Record<string, (text: string) => string>> = {
  uriComponent: (text) => encodeURIComponent(text),
  percent,
  percentLower: (text) => percent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  percentAll: (text) => [...bytesOf(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  form: (text) => new URLSearchParams([["", text]]).toString().slice(1),
  base64,
  base64Unpadded: (text) => base64(text).replace(/=+$/, ""),
  base64url: (text) => Buffer.from(text, "utf8").toString("base64url"),
  hex: (text) => Buffer.from(text, "utf8").toString("hex"),
  hexUpper: (text) => Buffer.from(text, "utf8").toString("hex").toUpperCase(),
  json: jsonString,
  jsonSlashes: (text) => jsonString(text).replaceAll("/", "\\/"),
  jsonUnicode: (text) =>
    Array.from(
      { length: text.length },
      (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""),
};

/** Encoders that put the text inside a longer encoded one. */
export const wrappers: Readonly<Record<string, (text: string) => string>> = {
  base64After1: (text) => base64(`a${text}`),
  base64After2: (text) => base64(`ab${text}`),
  base64Within: (text) => base64(`user:${text}@host.example/path`),
  base64Lines: (text) => base64(`${"-".repeat(50)}${text}${"-".repeat(50)}`).replace(/.{76}/g, "$&\r\n"),
  hexWithin: (text) => Buffer.from(`<${text}>`, "utf8").toString("hex"),
};

const nasty = "abcXYZ019/+%\"='\\&?#<>@:;,.-_~*!()[]{}|^` \n\tüß€漢😀";

/** Secrets of eight and more characters with everything in them that encodings treat specially. */
export const secretText: fc.Arbitrary<string> = fc
  .string({ unit: fc.constantFrom(...nasty), minLength: 8, maxLength: 40 })
  .map((text) => text.trim())
  .filter((text) => text.length >= 8 && new Set(text).size > 4);

/** One to three encoders, innermost first. */
export const encoding: fc.Arbitrary<readonly string[]> = fc.array(fc.constantFrom(...Object.keys(encoders)), {
  minLength: 1,
  maxLength: 3,
});

export function encode(text: string, names: readonly string[]): string {
  return names.reduce((encoded, name) => ({ ...encoders, ...wrappers })[name]?.(encoded) ?? encoded, text);
}

/** Pieces of text that rules, decoders and cuts take notice of. */
export const fragment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ..." |\n|\r\n|\t|word |The token is |password: |PASSWORD=|Authorization: |Bearer |basic |api |key: |secret access |\\|\\\\|\\u00|%|%2|%25|+".split(
      "|",
    ),
  ),
  fc.constantFrom(
    "[secret:A]",
    "[secret]",
    "[secret",
    "]",
    '"',
    "'",
    "=",
    ":",
    "://",
    "@",
    "/",
    ".",
    "-",
    "漢字",
    "😀",
    "\ud83d",
    "\ude00",
    "ü",
  ),
  fc.constantFrom(
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN RSA ",
    "-----END PRIVATE KEY-----",
    `${"MIIB".repeat(16)}\n`,
    `${"aGVs".repeat(19)}\r\n`,
  ),
  fc.constantFrom(
    "sk-",
    "eyJ",
    "ghp_",
    "AKIA",
    "xoxb-",
    "SG.",
    "123456789:AA",
    "AC",
    "https://user:",
    "postgres://app:pa55w0rd@db ",
  ),
  fc.string({ unit: fc.constantFrom(...ALPHANUMERIC), minLength: 1, maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 5 }),
);
