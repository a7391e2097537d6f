import { describe, expect, it } from "vitest";
import { checkAgent } from "../../core/config/check.ts";
import { templateFaults } from "../../core/hooks/template.ts";
import { createRegistry } from "../../core/registry.ts";
import { validAgent } from "../support/config-documents.ts";

const secret = { $secret: "HOOK_SECRET" };
const check = (webhooks: unknown) => checkAgent(validAgent({ webhooks }), createRegistry([]));
const paths = (webhooks: unknown) => {
  const checked = check(webhooks);
  return checked.ok ? [] : checked.issues.map(({ path }) => path);
};

describe("an agent's webhooks", () => {
  it("may be missing, and are filled up with what is usual", () => {
    const without = checkAgent(validAgent(), createRegistry([]));
    expect(without.ok && without.agent.webhooks).toBe(undefined);
    const checked = check([{ name: "orders", secret }]);
    expect(checked.ok && checked.agent.webhooks).toEqual([
      { name: "orders", secret, bodyOnly: false, stateless: false, enabled: true },
    ]);
  });

  it.each([
    ["a secret's value", [{ name: "a", secret: "hunter22" }], "webhooks[0].secret"],
    ["no secret", [{ name: "a" }], "webhooks[0].secret"],
    ["no name", [{ secret }], "webhooks[0].name"],
    ["a name that is a path", [{ name: "a/b", secret }], "webhooks[0].name"],
    ["an unknown key", [{ name: "a", secret, url: "x" }], "webhooks[0].url"],
    [
      "a name twice",
      [
        { name: "a", secret },
        { name: "a", secret },
      ],
      "webhooks[1].name",
    ],
    ["an empty template", [{ name: "a", secret, template: "" }], "webhooks[0].template"],
    ["a placeholder of another kind", [{ name: "a", secret, template: "{{env.X}}" }], "webhooks[0].template"],
    ["no list", { orders: { secret } }, "webhooks"],
  ])("may not have %s", (_name, webhooks, path) => {
    expect(paths(webhooks)).toEqual([path]);
  });

  it("never have a secret's value repeated in a fault", () => {
    const checked = check([{ name: "a", secret: "hunter22-and-more" }]);
    expect(JSON.stringify(checked)).not.toContain("hunter22");
  });
});

describe("a webhook's template", () => {
  it.each(["{{body}}", "{{ body.a.b }}", "{{body.items.0.name}}", "{{header.x-github-event}}", "plain {x}"])(
    "takes %s",
    (template) => expect(templateFaults(template)).toEqual([]),
  );

  it.each([
    "{{}}",
    "{{headers.x-a}}",
    "{{header.authorization}}",
    "{{header.x-hub-signature-256}}",
    "{{body.}}",
    "{{body.a b}}",
    "{{system}}",
    "{{body}}".repeat(51),
  ])("does not take %s", (template) => expect(templateFaults(template)).toHaveLength(1));
});
