import { describe, expect, it } from "vitest";
import { checkConfigFile } from "../../../core/config/check.ts";
import { openEmail } from "../../../core/email/open-email.ts";
import { createRegistry } from "../../../core/registry.ts";

const signingKey = { $secret: "MAIL_KEY" };
const agents = [
  { agentId: "desk", systemPrompt: "You are desk.", model: { provider: "scripted" }, tools: {} },
];

function checked(email: Record<string, unknown>) {
  const file = { instance: { id: "test", email }, agents };
  const result = checkConfigFile(file, createRegistry([]));
  return result.ok
    ? { email: result.instance.email, paths: result.warnings.map(({ path }) => path) }
    : { email: null, paths: result.issues.map(({ path }) => path) };
}

describe("the config of e-mail", () => {
  it("lets nobody write unless it names somebody", () => {
    const { email } = checked({ signingKey });
    expect(email).toMatchObject({ allowedSenders: [], addresses: {}, authservId: "mx.cloudflare.net" });
  });

  it.each([
    ["an address in capital letters", { addresses: { "Desk@agents.example": "desk" } }, /addresses/],
    ["an address without a domain", { addresses: { desk: "desk" } }, /addresses/],
    ["an address with a mark", { addresses: { "desk+x@agents.example": "desk" } }, /addresses/],
    ["an address with two dots", { addresses: { "desk@agents..example": "desk" } }, /addresses/],
    [
      "an address that leaves no room",
      { addresses: { [`${"a".repeat(35)}@agents.example`]: "desk" } },
      /addresses/,
    ],
    ["everybody as sender", { allowedSenders: ["*"] }, /allowedSenders/],
    ["all of a top-level domain", { allowedSenders: ["*@example"] }, /allowedSenders/],
    ["a pattern in a sender", { allowedSenders: ["a*@people.example"] }, /allowedSenders/],
    ["a key that is no reference", { signingKey: "literal" }, /signingKey/],
    ["a password without a name", { smtp: { host: "mail.example", password: signingKey } }, /password/],
    ["a size over the platform's", { maxBytes: 30_000_000 }, /maxBytes/],
    ["a key that is not known", { replyTo: "x" }, /replyTo/],
  ])("refuses %s", (_name, email, path) => {
    const { email: sound, paths } = checked({ signingKey, ...email });
    expect(sound).toBeNull();
    expect(paths.join()).toMatch(path);
  });

  it("takes a domain's people in the spelling of the tools too", () => {
    const { email } = checked({ signingKey, allowedSenders: ["@Office.example", "*@people.example"] });
    expect(email?.allowedSenders).toEqual(["*@office.example", "*@people.example"]);
  });

  it("warns of addresses whose agent is not in the file", () => {
    const { paths } = checked({
      signingKey,
      addresses: { "a@agents.example": "nobody", "b@agents.example": "desk" },
      catchAll: { domain: "all.example", agentId: "nobody" },
    });
    expect(paths).toEqual([
      'instance.email.addresses["a@agents.example"]',
      "instance.email.catchAll.agentId",
    ]);
  });

  it("needs a key that cannot be tried out", () => {
    const { email } = checked({ signingKey });
    if (email === undefined || email === null) throw new Error("The config is refused");
    expect(openEmail(email, { MAIL_KEY: "k".repeat(16) })).toMatchObject({ ok: true });
    for (const key of ["", "short"]) expect(openEmail(email, { MAIL_KEY: key })).toMatchObject({ ok: false });
  });
});
