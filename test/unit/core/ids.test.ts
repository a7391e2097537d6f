import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAgentId, newRunId, objectNameOf } from "../../../core/ids.ts";

const source = (now: number, random = "abcdef0123456789") => ({ now: () => now, random: () => random });
const agentId = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,62}$/);
const moment = fc.nat({ max: 4_102_444_800_000 });

describe("a run's id", () => {
  it("property: names the object that it lives in", () => {
    fc.assert(
      fc.property(agentId, moment, (name, now) => {
        expect(objectNameOf(newRunId(source(now), name))).toBe(name);
      }),
    );
  });

  it("property: sorts by time within one agent", () => {
    fc.assert(
      fc.property(agentId, moment, moment, (name, a, b) => {
        const [first, second] = [newRunId(source(a), name), newRunId(source(b), name)];
        expect(Math.sign(a - b)).toBe(first < second ? -1 : first > second ? 1 : 0);
      }),
    );
  });

  it("of a worker beside an agent names that worker's object", () => {
    expect(objectNameOf(newRunId(source(1), "clerk@new-1"))).toBe("clerk@new-1");
  });

  it.each([
    "",
    "clerk",
    "clerk.",
    ".0000000001",
    "clerk.0000",
    "Clerk.0000000001",
    "clerk.0000000001/x",
    "a.b\n",
  ])("that the engine never made names nothing: %j", (text) => {
    expect(objectNameOf(text)).toBeNull();
  });
});

describe("an agent's id", () => {
  it.each(["a", "0", "front-desk", "a_b", "x".repeat(63)])("may be %s", (text) => {
    expect(isAgentId(text)).toBe(true);
  });

  it.each(["", "-a", "_a", "A", "a b", "a.b", "a|b", "ä", "a\n", "x".repeat(64), "@human", "@new:a"])(
    "may not be %j",
    (text) => {
      expect(isAgentId(text)).toBe(false);
    },
  );
});
