import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { MAX_FILE_BYTES } from "../../tools/file-rw/append.ts";
import { MAX_READ_BYTES } from "../../tools/file-rw/read.ts";
import { MAX_WRITE_BYTES } from "../../tools/file-rw/write.ts";
import { answerOf, codeOf, fileAgent, fileRW, keysBelow } from "../support/file-agent.ts";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { MAX_RESULT_CHARS, toolContract } from "../support/tool-contract.ts";

const readable = { repeatable: true, parallel: true };
const changing = { repeatable: true, parallel: false };
toolContract(fileRW, {
  validConfig: { rootPath: "contract", allowWrite: true, allowedExtensions: [".txt"] },
  validCalls: [
    { args: { action: "write", path: "a/b.txt", content: "one" }, traits: changing },
    {
      args: { action: "append", path: "a/b.txt", content: "\ntwo" },
      traits: { repeatable: false, parallel: false },
    },
    { args: { action: "read", path: "a/b.txt", offset: 1, limit: 100 }, traits: readable },
    { args: { action: "list", path: "", limit: 10, cursor: "" }, traits: readable },
    { args: { action: "delete", path: "a/b.txt" }, traits: changing },
    { args: { action: "read", path: "a/b.txt" }, traits: readable, outcome: "fail" },
    { args: { action: "read", path: "../b.txt" }, traits: readable, outcome: "fail" },
  ],
  invalidCalls: [
    { args: {} },
    { args: { action: "read" } },
    { args: { action: "copy", path: "a.txt" } },
    { args: { action: "write", path: "a.txt" } },
    { args: { action: "append", path: "a.txt" } },
    { args: { action: "write", path: "a.txt", content: 5 } },
    { args: { action: "read", path: "a.txt", offset: -1 } },
    { args: { action: "read", path: "a.txt", limit: 0 } },
    { args: { action: "read", path: "a.txt", encoding: "latin1" } },
    { args: { action: "read", path: "x".repeat(1_025) } },
  ],
});

describe("an agent's files", () => {
  it("read back as they were written, under a key of the instance and the root folder", async () => {
    const call = fileAgent("writer");
    expect(answerOf(await call("write", "notes/Plan.md", { content: "Grüße\n" }))).toMatchObject({
      path: "notes/Plan.md",
      size: 8,
    });
    expect(answerOf(await call("read", "notes/Plan.md"))).toMatchObject({
      size: 8,
      offset: 0,
      nextOffset: null,
      content: "Grüße\n",
    });
    expect(await keysBelow("test/agents/writer/")).toEqual(["test/agents/writer/notes/Plan.md"]);
  });

  it("are replaced as a whole by a second write", async () => {
    const call = fileAgent("replacer");
    await call("write", "a.txt", { content: "a long first text" });
    await call("write", "a.txt", { content: "short" });
    expect(answerOf(await call("read", "a.txt")).content).toBe("short");
  });

  it("may be empty", async () => {
    const call = fileAgent("empty");
    await call("write", "a.txt", { content: "" });
    expect(answerOf(await call("read", "a.txt"))).toMatchObject({ size: 0, content: "", nextOffset: null });
    await call("append", "a.txt", { content: "now" });
    expect(answerOf(await call("read", "a.txt")).content).toBe("now");
  });

  it("are one file under the composed and the decomposed form of a name", async () => {
    const call = fileAgent("forms");
    await call("write", "Mu\u0308ller.txt", { content: "one" });
    await call("write", "M\u00fcller.txt", { content: "two" });
    expect(answerOf(await call("read", "Mu\u0308ller.txt")).content).toBe("two");
    expect(await keysBelow("test/agents/forms/")).toHaveLength(1);
  });

  it("are deleted, and a second delete has nothing left to do", async () => {
    const call = fileAgent("deleter");
    await call("write", "a.txt", { content: "x" });
    expect(answerOf(await call("delete", "a.txt")).existed).toBe(true);
    expect(answerOf(await call("delete", "a.txt")).existed).toBe(false);
    expect(codeOf(await call("read", "a.txt"))).toBe("not_found");
  });

  it("are shared by agents with the same root folder and by no others", async () => {
    await fileAgent("team/notes")("write", "a.txt", { content: "shared" });
    expect(answerOf(await fileAgent("team/notes")("read", "a.txt")).content).toBe("shared");
    const strangers = [
      fileAgent("team"),
      fileAgent("team/note"),
      fileAgent("team/notes2"),
      fileAgent("team/notes", {}, { instanceId: "other" }),
    ];
    for (const call of strangers) expect(codeOf(await call("read", "a.txt"))).toBe("not_found");
    expect(answerOf(await fileAgent("team/note")("list", ""))).toMatchObject({ files: [], folders: [] });
  });

  it("are served as plain text, whatever a browser would make of the name", async () => {
    await fileAgent("typed", { allowedExtensions: [".html"] })("write", "a.html", { content: "<script>" });
    const stored = await env.FILES.head("test/agents/typed/a.html");
    expect(stored?.httpMetadata?.contentType).toBe("text/plain; charset=utf-8");
  });
});

describe("what an agent may not touch", () => {
  const attacks = [
    "../victim/a.txt",
    "..",
    "a/../../victim/a.txt",
    "/test/agents/victim/a.txt",
    "/etc/passwd.txt",
    "..\\victim\\a.txt",
    "%2e%2e/victim/a.txt",
    "%252e%252e%252fvictim/a.txt",
    "..%c0%afvictim/a.txt",
    "\xc0\xae\xc0\xae/victim/a.txt",
    "%u002e%u002e/victim/a.txt",
    "\u2024\u2024/victim/a.txt",
    "\uff0e\uff0e/victim/a.txt",
    "..\u2215victim\u2215a.txt",
    "..\uff0fvictim/a.txt",
    ".\u200b./victim/a.txt",
    "\u202e/victim/a.txt",
    "..\0/victim/a.txt",
    "a.exe\0.txt",
    "a.exe%00.txt",
    "C:\\victim\\a.txt",
    "C:/victim/a.txt",
    "\\\\host\\share\\a.txt",
    "//host/share/a.txt",
    "~/a.txt",
    "a//b.txt",
    "./a.txt",
    "a.txt.",
    "a.txt ",
    "a.txt::$DATA",
    "CON.txt",
    "sub/nul.txt",
    "\ud800.txt",
  ];
  it.each(attacks)("is refused for every action with the path %j", async (path) => {
    await fileAgent("victim")("write", "a.txt", { content: "mine" });
    const call = fileAgent("attacker");
    for (const action of ["read", "write", "append", "delete", "list"]) {
      const rest = action === "write" || action === "append" ? { content: "theirs" } : {};
      expect([action, codeOf(await call(action, path, rest))]).toEqual([action, "path_refused"]);
    }
    expect(answerOf(await fileAgent("victim")("read", "a.txt")).content).toBe("mine");
    expect(await keysBelow("test/agents/attacker/")).toEqual([]);
  });

  const names = [
    "a.exe",
    "a.txt.exe",
    "a.tx\u0131",
    "a",
    ".txt",
    "sub/.txt",
    "a.txt.d/run",
    "a.t\u0445t",
    "a.\uff54xt",
    ".env",
  ];
  it.each(names)("is refused by its extension: %j", async (path) => {
    const call = fileAgent("extensions", { allowedExtensions: [".txt"] });
    for (const action of ["read", "write", "append", "delete"]) {
      const result = await call(action, path, { content: "x" });
      expect([action, codeOf(result)]).toEqual([action, "extension_refused"]);
    }
    expect(await keysBelow("test/agents/extensions/")).toEqual([]);
  });

  it("is not decided by the case of its extension", async () => {
    const call = fileAgent("case", { allowedExtensions: [".Txt"] });
    expect(codeOf(await call("write", "A.TXT", { content: "x" }))).toBe("ok");
  });

  it("is everything when no extension is allowed", async () => {
    expect(codeOf(await fileAgent("none", { allowedExtensions: [] })("read", "a.txt"))).toBe(
      "extension_refused",
    );
  });

  it("is any change, as long as the config does not allow writing", async () => {
    await fileAgent("readonly")("write", "a.txt", { content: "before" });
    for (const config of [{ allowWrite: false }, { allowWrite: undefined }]) {
      const call = fileAgent("readonly", config);
      for (const action of ["write", "append", "delete"]) {
        expect(codeOf(await call(action, "a.txt", { content: "after" }))).toBe("write_refused");
      }
      expect(answerOf(await call("read", "a.txt")).content).toBe("before");
      expect(answerOf(await call("list", "")).files).toHaveLength(1);
    }
  });
});

describe("reading a long file", () => {
  it("goes page by page through every character, from nextOffset to nextOffset", async () => {
    const text = 'Zeile "für" \u{1f600}\n\t€'.repeat(2_000) + '\n"\u0001'.repeat(10_000);
    const call = fileAgent("pages");
    await call("write", "long.txt", { content: text });
    let read = "";
    let pages = 0;
    for (let offset: number | null = 0; offset !== null; pages += 1) {
      const result = await call("read", "long.txt", { offset, limit: 1_000_000 });
      expect(result.ok && result.content.length).toBeLessThanOrEqual(MAX_RESULT_CHARS);
      const answer = answerOf(result);
      read += answer.content ?? "";
      offset = answer.nextOffset ?? null;
    }
    expect(read).toBe(text);
    expect(pages).toBeGreaterThanOrEqual(new TextEncoder().encode(text).length / MAX_READ_BYTES);
  });

  it("moves on to the next character when the offset is inside one", async () => {
    const call = fileAgent("inside");
    await call("write", "a.txt", { content: "€uro" });
    expect(answerOf(await call("read", "a.txt", { offset: 1, limit: 2 }))).toMatchObject({
      offset: 3,
      content: "ur",
      nextOffset: 5,
    });
  });

  it("ends at the end, and beyond it says where the end is", async () => {
    const call = fileAgent("end");
    await call("write", "a.txt", { content: "abc" });
    expect(answerOf(await call("read", "a.txt", { offset: 3 }))).toMatchObject({
      content: "",
      nextOffset: null,
    });
    const beyond = await call("read", "a.txt", { offset: 4 });
    expect(codeOf(beyond)).toBe("offset_beyond_end");
  });

  it("L5 counts in bytes of the masked text, and cuts no secret at a page's border", async () => {
    const { TEST_SECRET_A: secret } = TEST_SECRETS;
    const before = "#".repeat(MAX_READ_BYTES - 9);
    await env.FILES.put("test/agents/masked/a.txt", `${before}${secret}#`);
    const call = fileAgent("masked");
    const shown = `${before}[secret:TEST_SECRET_A]#`;
    const first = answerOf(await call("read", "a.txt"));
    expect(first).toMatchObject({ size: shown.length, offset: 0, nextOffset: MAX_READ_BYTES });
    const second = answerOf(await call("read", "a.txt", { offset: MAX_READ_BYTES }));
    expect(`${first.content}${second.content}`).toBe(shown);
    expect(codeOf(await call("read", "a.txt", { offset: shown.length + 1 }))).toBe("offset_beyond_end");
    expect((await env.FILES.head("test/agents/masked/a.txt"))?.size).toBe(before.length + secret.length + 1);
  });

  it("is refused for a file that is larger than a tool may make one", async () => {
    await env.FILES.put("test/agents/large/a.txt", "x".repeat(MAX_FILE_BYTES + 1));
    expect(codeOf(await fileAgent("large")("read", "a.txt"))).toBe("too_large");
  });

  it("is refused for a file that is no text", async () => {
    const call = fileAgent("binary");
    await env.FILES.put("test/agents/binary/a.txt", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1]));
    expect(codeOf(await call("read", "a.txt"))).toBe("not_text");
    expect(codeOf(await call("append", "a.txt", { content: "x" }))).toBe("not_text");
    expect((await env.FILES.head("test/agents/binary/a.txt"))?.size).toBe(6);
  });
});

describe("writing", () => {
  it("takes up to the cap in one call, counted in bytes, and nothing beyond", async () => {
    const call = fileAgent("caps");
    const full = "ä".repeat(MAX_WRITE_BYTES / 2);
    expect(codeOf(await call("write", "full.txt", { content: full }))).toBe("ok");
    expect(codeOf(await call("write", "over.txt", { content: `${full}x` }))).toBe("too_large");
    expect(codeOf(await call("append", "over.txt", { content: `${full}x` }))).toBe("too_large");
    expect(await keysBelow("test/agents/caps/over")).toEqual([]);
  });

  it("lets a file grow to its cap by appends, and no further", async () => {
    const call = fileAgent("growth");
    await env.FILES.put("test/agents/growth/a.txt", "x".repeat(MAX_FILE_BYTES - 2));
    expect(answerOf(await call("append", "a.txt", { content: "yz" })).size).toBe(MAX_FILE_BYTES);
    expect(codeOf(await call("append", "a.txt", { content: "z" }))).toBe("too_large");
    expect((await env.FILES.head("test/agents/growth/a.txt"))?.size).toBe(MAX_FILE_BYTES);
  });

  it.each(["a\0b", "half a pair \ud83d"])("refuses what is no text: %j", async (content) => {
    const call = fileAgent("nontext");
    expect(codeOf(await call("write", "a.txt", { content }))).toBe("not_text");
    expect(codeOf(await call("append", "a.txt", { content }))).toBe("not_text");
    expect(await keysBelow("test/agents/nontext/")).toEqual([]);
  });

  it.each(["absent", "present"])(
    "loses no append of several at the same moment to a file that is %s",
    async (state) => {
      const call = fileAgent(`race-${state}`);
      if (state === "present") await call("write", "log.txt", { content: "" });
      const lines = Array.from({ length: 8 }, (_value, index) => `line ${index}`);
      const results = await Promise.all(
        lines.map((line) => call("append", "log.txt", { content: `${line}\n` })),
      );
      expect(results.map(codeOf)).toEqual(lines.map(() => "ok"));
      const written = answerOf(await call("read", "log.txt")).content ?? "";
      expect(written.trimEnd().split("\n").sort()).toEqual(lines);
    },
  );

  it("changes nothing once it is aborted", async () => {
    const call = fileAgent("aborted", {}, { signal: AbortSignal.abort() });
    for (const action of ["write", "append"]) {
      await expect(call(action, "a.txt", { content: "x" })).rejects.toThrow();
    }
    expect(await keysBelow("test/agents/aborted/")).toEqual([]);
  });
});
