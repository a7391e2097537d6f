/**
 * Finds secrets in texts without the help of the product's scrubber: in whatever spelling a secret went in,
 * the characters that depend on it must not come out again.
 */
import { TEST_SECRETS } from "./test-secrets.ts";

export type Encoder = (text: string) => string;

const bytesOf = (text: string) => [...new TextEncoder().encode(text)];
const hexOf = (text: string) =>
  bytesOf(text)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
const base64Of = (text: string) => btoa(String.fromCharCode(...bytesOf(text)));

/** The ways in which a secret may be spelled; each may be applied to the outcome of another. */
export const ENCODERS: Readonly<Record<string, Encoder>> = {
  url: encodeURIComponent,
  urlBytes: (text) => hexOf(text).replace(/../g, (pair) => `%${pair}`),
  base64: base64Of,
  base64url: (text) => base64Of(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""),
  hex: hexOf,
  hexUpper: (text) => hexOf(text).toUpperCase(),
  json: (text) => JSON.stringify(text).slice(1, -1),
  jsonUnicode: (text) =>
    text.replace(/./gsu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

/** A text that holds a secret, and the parts of it by which it would be known. */
export interface Bait {
  readonly text: string;
  readonly needles: readonly string[];
}

export interface BaitPlan {
  readonly secret: string;
  /** Applied in this order to `before + secret + after`. */
  readonly encoders: readonly Encoder[];
  readonly before: string;
  readonly after: string;
}

/** A needle stands for so many characters of the secret, however it is spelled; the next one begins so many later. */
const NEEDLE_CHARS = 8;
const NEEDLE_STEP = 3;

export function baitOf({ secret, encoders, before, after }: BaitPlan): Bait {
  const encode = (inner: string) =>
    encoders.reduce((text, encoder) => encoder(text), `${before}${inner}${after}`);
  const text = encode(secret);
  const other = encode(secret.replace(/[a-z0-9]/gi, neighbour));
  const differs = text.split("").flatMap((char, index) => (char === other[index] ? [] : [index]));
  const spelled = withoutEscapes(text.slice(differs.at(0), (differs.at(-1) ?? 0) + 1));
  return { text, needles: windows(spelled, spelled.length / secret.length) };
}

/** Another character that every encoding makes as long as this one. */
function neighbour(char: string): string {
  if (/[zZ9]/.test(char)) return { z: "a", Z: "A", "9": "0" }[char] ?? char;
  return String.fromCharCode(char.charCodeAt(0) + 1);
}

/** `scale`: characters for one of the secret's. */
function windows(text: string, scale = 1): string[] {
  const size = Math.ceil(NEEDLE_CHARS * scale);
  const step = Math.ceil(NEEDLE_STEP * scale);
  const parts: string[] = [];
  for (let at = 0; at + size <= text.length; at += step) parts.push(text.slice(at, at + size));
  return parts;
}

/** The same secret once in each spelling, base64 at each of its three offsets, and some spellings of spellings. */
export function allBaits(): Bait[] {
  return Object.values(TEST_SECRETS).flatMap((secret) => {
    const { url, base64, base64url, hex, json } = encoders();
    const plans = [
      [],
      ...Object.values(ENCODERS).map((encoder) => [encoder]),
      [url, base64],
      [base64, url],
      [json, json, json],
      [json, base64, url],
      [hex, base64url, json],
    ];
    const offsets = ["", "k", "kk"].map((before) =>
      baitOf({ secret, encoders: [base64], before, after: "k" }),
    );
    return [...plans.map((plan) => baitOf({ secret, encoders: plan, before: "", after: "" })), ...offsets];
  });
}

function encoders() {
  const { url, base64, base64url, hex, json } = ENCODERS;
  if (!url || !base64 || !base64url || !hex || !json) throw new Error("an encoder is missing");
  return { url, base64, base64url, hex, json };
}

/** Shapes of credentials of well-known kinds, put together here so that no scanner takes this file for a leak. */
export function credentialBaits(): Bait[] {
  const body = "Zk3Qv9Xw2Lr7Tn4Bp8Hs6Jd1Gf5Mc0Ya";
  const awsKey = "IOSFODNN7EXAMPL4";
  const header = btoa(JSON.stringify({ alg: "HS256", typ: "JWT" })).replace(/=+$/, "");
  const credentials: [text: string, secret: string][] = [
    [`${"sk-"}proj-${body}${body}`, body],
    [`${"gh"}p_${body}1234`, body],
    [`${"AK"}IA${awsKey}`, awsKey],
    [`${"xo"}xb-123456789012-${body}`, body],
    [`${"AI"}zaSy${body}9`, body],
    [`${header}.${header}.${body}`, body],
    [`${"sk_"}live_${body}`, body],
    [`Authorization: Bearer ${body}`, body],
    [`${"pass"}word="${body.slice(0, 16)}!9"`, body.slice(0, 16)],
    [`postgres://app:${body.slice(0, 14)}@db.internal/app`, body.slice(0, 14)],
  ];
  return credentials.map(([text, secret]) => ({ text, needles: windows(secret) }));
}

/** The needles of the baits that a text holds, escaped in whatever depth of JSON. */
export function leaksIn(text: string, baits: readonly Bait[]): string[] {
  const plain = withoutEscapes(text);
  return [...new Set(baits.flatMap(({ needles }) => needles))].filter((needle) => plain.includes(needle));
}

function withoutEscapes(text: string): string {
  return text.replaceAll("\\", "");
}
