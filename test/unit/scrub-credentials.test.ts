import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScrubber } from "../../core/scrub/index.ts";
import { ALPHANUMERIC, characters, encode, encoders, encoding, sequence } from "./scrub-samples.ts";

const { scrub } = createScrubber(new Map());
const next = sequence(7);
const body = (length: number, alphabet?: string) => characters(next, length, alphabet);
const HEX = "0123456789abcdef";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const URL_SAFE = `${ALPHANUMERIC}-_`;

const tokens: Readonly<Record<string, () => string>> = {
  "OpenAI, old": () => `sk-${body(48)}`,
  "OpenAI, project": () => `sk-proj-${body(74, URL_SAFE)}T3BlbkFJ${body(74, URL_SAFE)}`,
  Anthropic: () => `sk-ant-api03-${body(93, URL_SAFE)}AA`,
  OpenRouter: () => `sk-or-v1-${body(64, HEX)}`,
  "AWS key id": () => `AKIA${body(16, UPPER)}`,
  "AWS session key id": () => `ASIA${body(16, UPPER)}`,
  "GitHub personal": () => `ghp_${body(36)}`,
  "GitHub OAuth": () => `gho_${body(36)}`,
  "GitHub user": () => `ghu_${body(36)}`,
  "GitHub server": () => `ghs_${body(36)}`,
  "GitHub fine-grained": () => `github_pat_${body(22)}_${body(59)}`,
  GitLab: () => `glpat-${body(20, URL_SAFE)}1`,
  "Slack bot": () => `xoxb-${body(12, "0123456789")}-${body(13, "0123456789")}-${body(24)}`,
  "Slack user": () => `xoxp-${body(12, "0123456789")}-${body(12, "0123456789")}-${body(32, HEX)}`,
  "Google API key": () => `AIza${body(35, URL_SAFE)}`,
  "Google client secret": () => `GOCSPX-${body(28, URL_SAFE)}`,
  "Google access token": () => `ya29.a0${body(120, URL_SAFE)}`,
  "Stripe live": () => `sk_live_${body(24)}`,
  "Stripe restricted": () => `rk_live_${body(99)}`,
  "Stripe webhook": () => `whsec_${body(32)}`,
  Telegram: () => `${body(10, "123456789")}:AA${body(33, URL_SAFE)}`,
  "Twilio key": () => `SK${body(32, HEX)}`,
  SendGrid: () => `SG.${body(22, URL_SAFE)}.${body(43, URL_SAFE)}`,
  npm: () => `npm_${body(36)}`,
  PyPI: () => `pypi-AgEIcHlwaS5vcmc${body(120, URL_SAFE)}`,
  "Cloudflare user token": () => `cfut_${body(48)}`,
  "Cloudflare account token": () => `cfat_${body(48)}`,
  "Cloudflare Access service token": () => `cfast_${body(48)}`,
  "API token of ours": () => `parley_${body(48, HEX)}`,
  "Hugging Face": () => `hf_${body(34)}`,
  "JSON web token": () =>
    `${jwtPart({ alg: "HS256", typ: "JWT" })}.${jwtPart({ sub: "42", exp: 1 })}.${body(43, URL_SAFE)}`,
  "private key": () => privateKey("RSA PRIVATE KEY", "\n"),
};

function jwtPart(value: unknown): string {
  return encode(JSON.stringify(value), ["base64url"]);
}

function privateKey(kind: string, lineEnd: string): string {
  const lines = Array.from({ length: 12 }, () => body(64, `${ALPHANUMERIC}+/`));
  return [`-----BEGIN ${kind}-----`, ...lines, `${body(20)}==`, `-----END ${kind}-----`].join(lineEnd);
}

describe("L5 credentials of known kinds", () => {
  it.each(Object.keys(tokens))("masks a %s wherever it stands", (kind) => {
    for (let round = 0; round < 20; round++) {
      const token = tokens[kind]?.() ?? "";
      expect(scrub(`take ${token} and go`)).toBe("take [secret] and go");
      expect(scrub(`{"value":"${token}"}`)).toBe('{"value":"[secret]"}');
      expect(scrub(`curl https://api.example.com/v1?k=${token}&x=1`)).toBe(
        "curl https://api.example.com/v1?k=[secret]&x=1",
      );
    }
  });

  it("masks any of them in any encodings up to three deep", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(tokens)), encoding, (kind, names) => {
        const token = tokens[kind]?.() ?? "";
        const masked = scrub(`before (${encode(token, names)}) after`);
        expect(masked).toBe("before ([secret]) after");
      }),
      { numRuns: 400 },
    );
  });

  it("masks private keys however their lines end, and cut off too", () => {
    for (const kind of ["PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY"]) {
      for (const lineEnd of ["\n", "\r\n", "\\n", "\\r\\n", " "]) {
        expect(scrub(`key: ${privateKey(kind, lineEnd)}.`)).toBe("key: [secret].");
      }
    }
    expect(scrub(`${privateKey("PRIVATE KEY", "\n").slice(0, 400)} (cut)`)).toMatch(
      /^\[secret\]\S* \(cut\)$/,
    );
    const armoured = `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n${body(64)}\n${body(64)}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----`;
    expect(scrub(armoured)).toBe("[secret]");
  });

  it("masks AWS secret keys next to their name", () => {
    const key = `${body(20)}/${body(19)}`;
    for (const before of [
      "aws_secret_access_key = ",
      "AWS_SECRET_ACCESS_KEY=",
      '"SecretAccessKey": "',
      "aws configure set aws_secret_access_key ",
      "secret access key: ",
    ]) {
      expect(scrub(`${before}${key}`)).toBe(`${before}[secret]`);
    }
  });

  it("masks Twilio's pair of account and token", () => {
    expect(scrub(`curl -u AC${body(32, HEX)}:${body(32, HEX)} -X POST`)).toBe(
      "curl -u [secret]:[secret] -X POST",
    );
  });

  it("masks the secret part of webhook URLs", () => {
    expect(scrub(`https://hooks.slack.com/services/T${body(9, UPPER)}/B${body(9, UPPER)}/${body(24)}`)).toBe(
      "https://hooks.slack.com/services/[secret]",
    );
    expect(scrub(`https://api.telegram.org/bot${body(9, "123456789")}:AA${body(33)}/sendMessage`)).toBe(
      "https://api.telegram.org/bot[secret]/sendMessage",
    );
  });

  it("masks what an Authorization header carries", () => {
    const basic = encode("aladdin:open sesame", ["base64"]);
    for (const [before, value] of [
      ["Authorization: Bearer ", "abcdef123456"],
      ["authorization: bearer ", body(40, URL_SAFE)],
      ['"Authorization": "Bearer ', "k9.Zx81/kQ0aa+93Lm=="],
      ["-H 'Authorization: token ", body(40, HEX)],
      ["Authorization: Basic ", basic],
      ["Proxy-Authorization: Basic ", basic],
      ["it sent Bearer ", body(40)],
    ]) {
      expect(scrub(`${before}${value}`)).toBe(`${before}[secret]`);
    }
  });

  it("masks passwords in URLs and leaves the rest of them", () => {
    expect(scrub("postgres://app:s3cr3t@db.example.com:5432/main")).toBe(
      "postgres://app:[secret]@db.example.com:5432/main",
    );
    expect(scrub("redis://:p%40ss@10.0.0.3/0")).toBe("redis://:[secret]@10.0.0.3/0");
    expect(scrub("amqp://u:a@b:c@mq/")).toBe("amqp://u:[secret]@mq/");
    expect(scrub("mongodb+srv://app:größe1@cluster0.example.net")).toBe(
      "mongodb+srv://app:[secret]@cluster0.example.net",
    );
  });

  it("masks assigned values that are clearly credentials", () => {
    for (const [before, value, after] of [
      ["DB_PASSWORD=", "hunter2hunter2", " node app.js"],
      ["mysql --password=", "Tr0ub4dor3", " -u app"],
      ['{"password":"', "S3cure-pass", '"}'],
      ['{\\"client_secret\\": \\"', "9fA2kQ0aa93Lm2Nn4", '\\"}'],
      ["api_key: '", "8f14e45fceea167a5a36dedd4bea2543", "'"],
      ["https://example.com/?access_token=", "a1b2c3d4e5f6a7b8", "&page=2"],
      ["X-Api-Key: ", "8f14e45fceea167a5a36dedd4bea2543", ""],
      ["CLOUDFLARE_API_TOKEN=", "q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8l9Z0", ""],
    ]) {
      expect(scrub(`${before}${value}${after}`)).toBe(`${before}[secret]${after}`);
    }
  });

  it("says the name of a known secret that looks like a credential", () => {
    const token = `ghp_${body(36)}`;
    const known = createScrubber(new Map([["GITHUB_TOKEN", token]]));
    for (const name of Object.keys(encoders)) {
      expect(known.scrub(`Authorization: Bearer ${encode(token, [name])}`)).toBe(
        "Authorization: Bearer [secret:GITHUB_TOKEN]",
      );
    }
  });

  it("changes nothing when it scrubs again", () => {
    const glue = fc.constantFrom("", " ", "-", "_", "/", ".", ":", "=", '"', "\n", "password=", "Bearer ");
    const parts = fc.array(fc.tuple(fc.constantFrom(...Object.keys(tokens)), glue, fc.nat(60)), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(parts, (chosen) => {
        const once = scrub(
          chosen.map(([kind, text, cut]) => `${tokens[kind]?.().slice(0, cut + 20)}${text}`).join(""),
        );
        expect(scrub(once)).toBe(once);
      }),
      { numRuns: 400 },
    );
  });
});
