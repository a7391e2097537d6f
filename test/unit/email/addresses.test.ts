import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chainHeader, type NewClaim, readChain } from "../../../core/email/chain-header.ts";
import { replyAddress, threadIdOf, threadOfMark } from "../../../core/email/reply-address.ts";
import { isAllowedSender, isOwnAddress, routeOf } from "../../../core/email/route.ts";
import { normaliseAddress } from "../../../protocols/smtp/address.ts";

const key = "unit-test-signing-key";
const email = {
  addresses: { "desk@agents.example": "desk", "sales@agents.example": "seller" },
  catchAll: { domain: "all.example", agentId: "rest" },
  allowedSenders: ["ann@people.example", "*@office.example", "boss@all.example"],
};

describe("an address", () => {
  it.each([
    ["desk@agents.example", "desk", null],
    ["DESK@Agents.Example", "desk", null],
    ["sales+abc@agents.example", "seller", "abc"],
    ["anything@all.example", "rest", null],
    ["anything+x@all.example", "rest", "x"],
  ])("%s is the agent's %s", (address, agentId, mark) => {
    expect(routeOf(email, address)).toMatchObject({ agentId, mark });
  });

  it.each([
    "nobody@agents.example",
    "desk@evil.example",
    "desk",
    "",
    "@all.example",
    `${"a".repeat(35)}@all.example`,
  ])("%j is nobody's", (address) => {
    expect(routeOf(email, address)).toBeNull();
  });

  it("in the domain of the catch-all is our own, but that of a person who is named", () => {
    const own = ["desk@agents.example", "desk+x@agents.example", "any@all.example", "Boss@All.example"];
    expect(own.map((address) => isOwnAddress(email, address))).toEqual([true, true, true, false]);
  });

  it("that our answers come from is our own, whoever is allowed", () => {
    const from = { ...email, from: "Ann@people.example" };
    expect(isOwnAddress(from, "ann@people.example")).toBe(true);
    expect(isOwnAddress({ ...email, allowedSenders: ["desk@agents.example"] }, "desk@agents.example")).toBe(
      true,
    );
  });

  it("may write when it is named, or its very domain", () => {
    const may = ["Ann@people.example", "bob@people.example", "any@office.example", "any@sub.office.example"];
    expect(may.map((address) => isAllowedSender(email, address))).toEqual([true, false, true, false]);
    expect(isAllowedSender({ allowedSenders: [] }, "ann@people.example")).toBe(false);
  });
});

const place = { agentId: "desk", address: "desk@agents.example" };
const start = { agentId: "desk", domain: "people.example", root: "<root@people.example>" };

describe("148: a reply address", () => {
  it("names its thread, and is one that every server takes", async () => {
    const threadId = await threadIdOf(key, start);
    const longest = `${"a".repeat(34)}@agents.example`;
    for (const address of [place.address, longest]) {
      const reply = await replyAddress(key, { ...place, address, threadId });
      expect(normaliseAddress(reply)).toBe(reply);
      const mark = /\+([^@]+)@/.exec(reply)?.[1] ?? "";
      expect(await threadOfMark(key, { ...place, address, mark })).toBe(threadId);
    }
  });

  it("is in another thread for people of another domain, whatever id they name", async () => {
    const ours = await threadIdOf(key, start);
    expect(await threadIdOf(key, { ...start, domain: "evil.example" })).not.toBe(ours);
    expect(await threadIdOf(key, { ...start })).toBe(ours);
  });

  it("of one agent, address or instance is worth nothing at another", async () => {
    const threadId = await threadIdOf(key, start);
    const mark = /\+([^@]+)@/.exec(await replyAddress(key, { ...place, threadId }))?.[1] ?? "";
    expect(await threadOfMark(key, { ...place, agentId: "seller", mark })).toBeNull();
    expect(await threadOfMark(key, { ...place, address: "sales@agents.example", mark })).toBeNull();
    expect(await threadOfMark(`${key}2`, { ...place, mark })).toBeNull();
  });

  it("cannot be made up", async () => {
    const threadId = await threadIdOf(key, start);
    const mark = /\+([^@]+)@/.exec(await replyAddress(key, { ...place, threadId }))?.[1] ?? "";
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.nat(mark.length - 1)), async (change) => {
        const made =
          typeof change === "string" ? change : `${mark.slice(0, change)}.${mark.slice(change + 1)}`;
        expect(await threadOfMark(key, { ...place, mark: made })).toBeNull();
      }),
      { numRuns: 50 },
    );
  });
});

const lineage = {
  runId: "a.0123456789ab",
  parentRunId: null,
  rootRunId: "a.0123456789ab",
  depth: 1,
  path: [],
};
const claim: NewClaim = {
  id: "a.0123456789ab:1:0",
  agentId: "a",
  from: "A@agents.example",
  to: "b@agents.example",
  reply: false,
  lineage,
};
const mail = { from: "a@agents.example", to: "B@agents.example", now: 1_000 };

describe("L4 the header that carries a chain", () => {
  it("is read where it was meant to go", async () => {
    const read = await readChain(key, await chainHeader(key, claim, 0), mail);
    expect(read).toMatchObject({ agentId: "a", runId: lineage.runId, depth: 1 });
  });

  it("is read, and stays short, however long the mail's name and the addresses are", async () => {
    const address = `${"a".repeat(64)}@${"b".repeat(59)}.${"c".repeat(60)}.${"d".repeat(60)}.example`;
    const long = { ...claim, id: "x".repeat(100_000), from: address, to: address };
    const value = await chainHeader(key, long, 0);
    expect(value.length).toBeLessThan(4_000);
    expect(await readChain(key, value, { ...mail, from: address, to: address })).not.toBeNull();
  });

  it("names a mail by what it is called, and by nothing else", async () => {
    const idOf = async (id: string) =>
      (await readChain(key, await chainHeader(key, { ...claim, id }, 0), mail))?.id;
    const [one, same, other] = await Promise.all(["a:1", "a:1", "a:2"].map(idOf));
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it("is not made where it could not be read", async () => {
    const deep = { ...claim, lineage: { ...lineage, depth: 10_001 } };
    await expect(() => chainHeader(key, deep, 0)).rejects.toThrow();
  });

  it("may be folded on its way, and fits any mail server's lines", async () => {
    const value = await chainHeader(key, claim, 0);
    expect(Math.max(...value.split(" ").map(({ length }) => length))).toBeLessThan(80);
    expect(await readChain(key, value.replaceAll(" ", "\r\n\t "), mail)).not.toBeNull();
  });

  it.each([
    ["another sender", { ...mail, from: "eve@evil.example" }],
    ["another recipient", { ...mail, to: "c@agents.example" }],
    ["a week later", { ...mail, now: 7 * 86_400_000 }],
  ])("means nothing for %s", async (_name, other) => {
    expect(await readChain(key, await chainHeader(key, claim, 0), other)).toBeNull();
  });

  it("means nothing when anything of it is changed, or another key has signed it", async () => {
    const value = await chainHeader(key, claim, 0);
    const [body = "", proof = ""] = value.replaceAll(" ", "").split(".");
    const deeper = Buffer.from(body, "base64url").toString().replace('"depth":1', '"depth":0');
    const forged = Buffer.from(deeper).toString("base64url");
    for (const text of [`${forged}.${proof}`, `${body}.`, body, "", `${body}.${proof}a`, "a.b"])
      expect(await readChain(key, text, mail)).toBeNull();
    expect(await readChain(key, await chainHeader(`${key}2`, claim, 0), mail)).toBeNull();
  });

  it("does not pass for another signature of ours", async () => {
    const threadId = await threadIdOf(key, start);
    expect(await readChain(key, `${threadId}.${threadId}`, mail)).toBeNull();
  });
});
