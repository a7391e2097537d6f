import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseScenario } from "../../core/model/scenario.ts";

function faults(document: unknown): string[] {
  const parsed = parseScenario(JSON.stringify(document));
  return parsed.ok ? [] : parsed.issues.map((issue) => issue.path);
}

describe("a scenario file", () => {
  it("is accepted with rules and a closing answer", () => {
    expect(faults({ rules: [{ when: { user: "/a/i" }, say: "{{user}}" }], otherwise: { say: "?" } })).toEqual(
      [],
    );
  });

  it("is refused with the path of each fault", () => {
    const document = {
      rules: [
        { when: { user: "/(/" }, say: "a" },
        { when: { result: "/a/g" }, say: "a" },
        { when: {}, say: "{{nobody}}" },
        { when: {}, calls: [{ name: "f", arguments: { list: [{ deep: "{{user.x}}" }] } }] },
        { when: { calls: { first: "a" } }, say: "a" },
        { when: { user: "" }, say: "a" },
        { when: {} },
        { when: {}, fail: { code: "tired" } },
        { when: {}, say: "{{repeat:ab:9000000}}" },
        { when: {}, say: "{{lastResult:ask_agent.1}}" },
      ],
    };
    expect(faults(document)).toEqual([
      "rules.0.when.user",
      "rules.1.when.result",
      "rules.2.say",
      "rules.3.calls.0.arguments.list.0.deep",
      "rules.4.when.calls.first",
      "rules.5.when.user",
      "rules.6",
      "rules.7.fail.code",
      "rules.8.say",
      "rules.9.say",
    ]);
  });

  it.each(["rules", "when", "otherwise"])("is refused with an unknown key beside or in %s", (place) => {
    const extra = { colour: 1 };
    const document = {
      rules: [{ when: place === "when" ? extra : {}, say: "a" }],
      otherwise: { say: "a", ...(place === "otherwise" ? extra : {}) },
      ...(place === "rules" ? extra : {}),
    };
    expect(faults(document)).toHaveLength(1);
  });

  it("never throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(parseScenario(text).ok).toBe(false);
      }),
    );
  });
});
