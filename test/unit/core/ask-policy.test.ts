import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AskRequest, colleaguesOf, decideAsk, recordedTarget } from "../../../core/ask/policy.ts";
import { askLineage, rootLineage } from "../../../core/lineage.ts";

const directory = ["a", "b", "c"].map((agentId) => ({
  agentId,
  name: agentId.toUpperCase(),
  description: "",
}));
const root = rootLineage("a.run0000000");
const request = (more: Partial<AskRequest> = {}): AskRequest => ({
  askingAgentId: "a",
  trigger: "chat",
  lineage: root,
  enabled: true,
  colleagues: ["*"],
  directory,
  targetAgentId: "b",
  ...more,
});
const denial = (more: Partial<AskRequest>) => {
  const decision = decideAsk(request(more));
  return decision.ok ? null : decision.code;
};
const sameText = (text: string) => text;

describe("who may ask whom", () => {
  it("lets an agent ask a colleague", () => {
    expect(decideAsk(request())).toEqual({ ok: true });
    expect(decideAsk(request({ colleagues: ["b"] }))).toEqual({ ok: true });
  });

  it.each([
    ["an answering run", { trigger: "ask" }, "answering"],
    ["an agent without the tool", { enabled: false }, "not_enabled"],
    ["a text that is no id", { targetAgentId: "No Id" }, "malformed_id"],
    ["an empty id", { targetAgentId: "" }, "malformed_id"],
    ["itself", { targetAgentId: "a" }, "self"],
    ["who waits for it", { lineage: askLineage(root, "a.run0000001", "b") }, "on_path"],
    ["an unknown agent", { targetAgentId: "ghost" }, "unknown_agent"],
    ["one that is no colleague", { colleagues: ["c"] }, "not_colleague"],
    ["anybody without colleagues", { colleagues: [] }, "not_colleague"],
  ] as const)("L6: refuses %s", (_who, more, code) => {
    expect(denial(more)).toBe(code);
  });

  it("L6: property: an answering run may ask nobody", () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (targetAgentId, enabled) => {
        expect(denial({ trigger: "ask", targetAgentId, enabled })).toBe("answering");
      }),
    );
  });

  it("L6: names whom the agent may ask instead, without itself", () => {
    const decision = decideAsk(request({ targetAgentId: "ghost" }));
    expect(decision.ok ? "" : decision.reason).toMatch(/b, c\.$/);
    expect(colleaguesOf("a", ["a", "c"], directory).map(({ agentId }) => agentId)).toEqual(["c"]);
  });
});

describe("how a refused target is named", () => {
  it("property: has 1 to 63 characters, none of which breaks a pair's key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (target) => {
        const named = recordedTarget(target, sameText);
        expect(Array.from(named).length).toBeGreaterThan(0);
        expect(Array.from(named).length).toBeLessThanOrEqual(63);
        expect(named).not.toMatch(/[|\p{C}]/u);
      }),
    );
  });

  it("L5: has no secret, though left-out characters stood within it", () => {
    const scrub = (text: string) => text.replaceAll("hunter22", "[secret]");
    expect(recordedTarget("hun|ter\u200b22", scrub)).toBe("[secret]");
    expect(recordedTarget(`${"x".repeat(60)}hunter22`, scrub)).toBe(`${"x".repeat(60)}[se`);
  });

  it("keeps an id as it is", () => {
    expect(recordedTarget("front-desk", sameText)).toBe("front-desk");
  });
});
