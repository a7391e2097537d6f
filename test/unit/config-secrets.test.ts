import { describe, expect, it } from "vitest";
import { checkAgent } from "../../core/config/check.ts";
import { resolveSecrets, secretNames } from "../../core/config/secrets.ts";
import { toolConfigFor } from "../../core/config/tool-config.ts";
import { exampleTools, validAgent, validFile } from "../support/config-documents.ts";

const document = { a: { $secret: "B" }, list: [{ deep: { $secret: "A" } }, { $secret: "B" }, 7, null] };

describe("secret references", () => {
  it("of a document are listed once each, in order", () => {
    expect(secretNames(document)).toEqual(["A", "B"]);
    expect(secretNames(validFile())).toEqual(["MAIL_PASSWORD", "OPENAI_API_KEY", "ROCKETCHAT_URL"]);
  });

  it("are replaced by the environment's strings in a copy; the document keeps the references", () => {
    const before = structuredClone(document);
    expect(resolveSecrets(document, { A: "one", B: "two", C: "three" })).toEqual({
      ok: true,
      value: { a: "two", list: [{ deep: "one" }, "two", 7, null] },
    });
    expect(document).toEqual(before);
  });

  it("that the environment does not have as text are told together", () => {
    expect(resolveSecrets(document, { A: "", B: {} })).toEqual({ ok: false, missing: ["A", "B"] });
    expect(resolveSecrets({ $secret: "toString" }, {})).toEqual({ ok: false, missing: ["toString"] });
  });

  it("are the whole object; text that looks like one is text", () => {
    const text = { note: '{"$secret":"A"}', other: { $secret: "A", more: 1 } };
    expect(secretNames(text)).toEqual([]);
    expect(resolveSecrets(text, {})).toEqual({ ok: true, value: text });
  });
});

describe("L8 a tool's config for the running agent", () => {
  const checked = checkAgent(
    validAgent({
      tools: {
        Files: { rootPath: "analyst", approve: ["write"] },
        Post: { host: "mail.example", login: { user: "u", password: { $secret: "MAIL_PASSWORD" } } },
      },
    }),
    exampleTools(),
  );
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
  const { agent } = checked;

  it("is that tool's alone, without what the engine keeps for itself", () => {
    expect(toolConfigFor(agent, "Files", {})).toEqual({ ok: true, value: { rootPath: "analyst" } });
  });

  it("has its secrets filled in", () => {
    expect(toolConfigFor(agent, "Post", { MAIL_PASSWORD: "pa55" })).toEqual({
      ok: true,
      value: { host: "mail.example", login: { user: "u", password: "pa55" } },
    });
    expect(JSON.stringify(agent)).not.toContain("pa55");
  });

  it("says which secret is missing, and that a tool is not configured", () => {
    expect(toolConfigFor(agent, "Post", {})).toEqual({
      ok: false,
      code: "missing_secret",
      missing: ["MAIL_PASSWORD"],
    });
    expect(toolConfigFor(agent, "Database", {})).toEqual({ ok: false, code: "not_configured" });
    expect(toolConfigFor(agent, "constructor", {})).toEqual({ ok: false, code: "not_configured" });
  });
});
