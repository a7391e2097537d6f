import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScrubber, type Scrubber } from "../../core/scrub/index.ts";
import { encode, encoding, fragment, secretText } from "./scrub-samples.ts";

/** Streams the text, cut at the given places. */
function streamed(scrubber: Scrubber, text: string, cuts: readonly number[]): string {
  const stream = scrubber.stream();
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
  const shown = places.slice(1).map((end, i) => stream.push(text.slice(places[i], end)));
  return shown.join("") + stream.end();
}

describe("L5 streams", () => {
  it("give the same as the whole text, wherever it is cut", () => {
    const cuts = fc.array(fc.nat(), { maxLength: 40 });
    fc.assert(
      fc.property(
        secretText,
        encoding,
        fc.array(fragment, { maxLength: 40 }),
        cuts,
        (secret, names, fragments, places) => {
          const scrubber = createScrubber(
            new Map([
              ["A", secret],
              ["B", "correct horse\nbattery 漢字 staple"],
            ]),
          );
          const pieces = fragments.flatMap((text, i) => [
            text,
            i % 5 === 1 ? encode(secret, names) : "",
            i % 7 === 2 ? "correct horse\nbattery 漢字 staple".slice(0, i * 3) : "",
          ]);
          const text = pieces.join("");
          expect(streamed(scrubber, text, places)).toBe(scrubber.scrub(text));
        },
      ),
      { numRuns: 400 },
    );
  });

  it("give the same when every character comes alone", () => {
    fc.assert(
      fc.property(secretText, fc.array(fragment, { maxLength: 25 }), (secret, fragments) => {
        const scrubber = createScrubber(new Map([["A", secret]]));
        const text = fragments.join(secret);
        const each = Array.from({ length: text.length }, (_, i) => i);
        expect(streamed(scrubber, text, each)).toBe(scrubber.scrub(text));
      }),
      { numRuns: 400 },
    );
  });

  it("give the same for texts of many blocks with nothing to cut at", () => {
    const secret = "a/b+c%2F==";
    const scrubber = createScrubber(new Map([["A", secret]]));
    for (const encoded of [
      secret,
      encode(secret, ["base64"]).replaceAll("=", ""),
      encode(secret, ["percentAll"]),
    ]) {
      const text = `${`${"Zq".repeat(4111)}${encoded}`.repeat(40)} tail`;
      const whole = scrubber.scrub(text);
      expect(whole).not.toContain(encoded);
      expect(whole.match(/\[secret:A\]/g)).toHaveLength(40);
      expect(streamed(scrubber, text, [5, 70_000, 70_001, 131_072, 200_000])).toBe(whole);
    }
  });

  it("show a word as soon as the next one begins", () => {
    const stream = createScrubber(new Map([["A", "correct horse battery"]])).stream();
    const shown = [
      "The ",
      "correct",
      " horse ",
      "is",
      " brown, ",
      "die ",
      "größte ",
      "漢字",
      "かな",
      " end",
    ].map((piece) => stream.push(piece));
    expect(shown).toEqual([
      "The ",
      "",
      "",
      "",
      "correct horse is brown, ",
      "die ",
      "größte ",
      "漢字",
      "かな",
      " ",
    ]);
    expect(stream.end()).toBe("end");
  });

  it("wait for what may belong to a secret or a credential", () => {
    const stream = createScrubber(new Map()).stream();
    expect(stream.push("use Authorization: ")).toBe("use ");
    expect(stream.push("Bearer ")).toBe("");
    expect(stream.push("Zx81kQ0aa93Lm2Nn4 now")).toBe("Authorization: Bearer [secret] ");
    expect(stream.end()).toBe("now");
  });

  it("hold back a bounded part of a text that never pauses", () => {
    const stream = createScrubber(new Map([["A", "a/b+c%2F=="]])).stream();
    let held = 0;
    let most = 0;
    for (let i = 0; i < 300; i++) {
      held += 10_000 - stream.push("Zq".repeat(5_000)).length;
      most = Math.max(most, held);
    }
    expect(most).toBeLessThan(100_000);
    expect(held - stream.end().length).toBe(0);
  });
});
