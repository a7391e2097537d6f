import { describe, expect, it } from "vitest";
import { createScrubber } from "../../core/scrub/index.ts";
import { characters, encode, sequence } from "./scrub-samples.ts";

const secrets = new Map([
  ["KEY", "a/b+c%2F=="],
  ["PHRASE", "correct horse battery staple"],
  [
    "PEM",
    `-----BEGIN PRIVATE KEY-----\n${`${characters(sequence(3), 64)}\n`.repeat(20)}-----END PRIVATE KEY-----`,
  ],
]);

/** How many characters all steps together read, per character of the text. */
function workPerCharacter(text: string): number {
  let work = 0;
  createScrubber(secrets, {
    onWork: (characters) => {
      work += characters;
    },
  }).scrub(text);
  return work / text.length;
}

const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const prose =
  "The customers ordered more parts than expected; please ask Lena, who keeps the numbers (since 2019). ";
const random = characters(
  sequence(5),
  60_000,
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
);

const hostile: Readonly<Record<string, string>> = {
  "the same letter": "A",
  "a letter that is text in base64 and hex": "V",
  "per cent signs": "%",
  "nested percent escapes": "%25",
  backslashes: "\\",
  "nested JSON escapes": "\\u005c",
  "both kinds of escapes": "%5c\\u0025",
  base64: random,
  "base64 three deep": encode(fill(prose, 20_000), ["base64", "base64", "base64"]).replaceAll("=", "A"),
  "hex three deep": encode(fill(prose, 8_000), ["hex", "hex", "hex"]),
  "wrapped base64": random.replace(/.{76}/g, "$&\n"),
  "beginnings of keys": "-----BEGIN PRIVATE KEY-----\n",
  "beginnings of tokens": "sk-eyJ.AKIA-xoxb-",
  "names of credentials": "password: bearer ",
  "assigned values": `PASSWORD=${"aBcD1_x".repeat(70)}| token: "${"Ab1".repeat(160)}" `,
  headers: "Authorization:Basic/",
  "beginnings of a secret": "correct horse battery ",
  "escaped beginnings of a secret": "correct%20horse\\u0020battery ",
  "beginnings of masks": "[secret:",
  "beginnings of URLs": "https://a:",
};

/** A bound that is the same for every length: so the work is linear. */
const MOST_WORK = 200;

describe("L5 work", () => {
  it("is about one reading for ordinary prose", () => {
    expect(workPerCharacter(fill(prose, 400))).toBeLessThan(1.5);
    expect(workPerCharacter(fill(prose, 3_000_000))).toBeLessThan(1.5);
  });

  it.each(Object.entries(hostile))("is bounded per character for a text of %s", (_, unit) => {
    expect(workPerCharacter(fill(unit, 100_000))).toBeLessThan(MOST_WORK);
    expect(workPerCharacter(fill(unit, 400_000))).toBeLessThan(MOST_WORK);
  });
});
