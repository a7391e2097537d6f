import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { MAX_LIST_ENTRIES } from "../../tools/file-rw/list.ts";
import { answerOf, codeOf, fileAgent } from "../support/file-agent.ts";
import { MAX_RESULT_CHARS } from "../support/tool-contract.ts";

describe("listing an agent's files", () => {
  it("shows files and folders of one folder, not what lies deeper", async () => {
    const call = fileAgent("tree");
    for (const path of ["b.txt", "a.md", "sub/c.txt", "sub/deep/d.txt", "Zoo/e.txt"]) {
      await call("write", path, { content: path });
    }
    for (const top of ["", ".", "/"]) {
      const answer = answerOf(await call("list", top));
      expect(answer).toMatchObject({ path: "", folders: ["Zoo/", "sub/"], cursor: null });
      expect(answer.files).toMatchObject([
        { name: "a.md", size: 4 },
        { name: "b.txt", size: 5 },
      ]);
    }
    for (const path of ["sub", "sub/"]) {
      expect(answerOf(await call("list", path))).toMatchObject({
        path: "sub",
        folders: ["deep/"],
        files: [{ name: "c.txt" }],
      });
    }
    expect(answerOf(await call("list", "nothing"))).toMatchObject({ folders: [], files: [], cursor: null });
  });

  it.each([1, 2, 3, 7, 1_000])("shows every entry once on pages of %i", async (limit) => {
    const call = fileAgent("paged");
    const files = ["a.txt", "b.txt", "m.txt", "z.txt", "\uff21.txt", "\u{1f600}.txt"];
    const folders = ["a/", "b.d/", "m/", "z/", "\u{1f600}/"];
    for (const path of [...files, ...folders.flatMap((name) => [`${name}1.txt`, `${name}2.txt`])]) {
      await env.FILES.put(`test/agents/paged/${path}`, "x");
    }
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const answer = answerOf(await call("list", "", { limit, cursor }));
      const names = [...answer.folders, ...answer.files.map((file) => file.name)];
      expect(names.length).toBeLessThanOrEqual(limit);
      seen.push(...names);
      cursor = answer.cursor;
    }
    expect(seen.sort()).toEqual([...files, ...folders].sort());
  });

  it("keeps a page within its size however long the names are and however many are asked for", async () => {
    const call = fileAgent("wide");
    const names = Array.from({ length: MAX_LIST_ENTRIES + 20 }, (_value, index) =>
      `${index}`.padStart(240, "x"),
    );
    await Promise.all(names.map((name) => env.FILES.put(`test/agents/wide/${name}.txt`, "x")));
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const result = await call("list", "", { limit: 100_000, cursor });
      expect(result.ok && result.content.length).toBeLessThanOrEqual(MAX_RESULT_CHARS);
      const answer = answerOf(result);
      seen.push(...answer.files.map((file) => file.name));
      cursor = answer.cursor;
    }
    expect(seen).toEqual(names.map((name) => `${name}.txt`).sort());
  });

  it("shows only what the agent could open", async () => {
    const call = fileAgent("hidden", { allowedExtensions: [".txt"] });
    for (const name of ["a.txt", "b.exe", "c.txt.", "..\u2215d.txt", "%2e%2e.txt", "~/e.txt", "ok/f.exe"]) {
      await env.FILES.put(`test/agents/hidden/${name}`, "x");
    }
    const answer = answerOf(await call("list", ""));
    expect([answer.files.map((file) => file.name), answer.folders]).toEqual([["a.txt"], ["ok/"]]);
  });

  it.each(["../victim/", "\0", "zzz", "\u{10ffff}", "a.txt/../.."])(
    "stays in its folder with the cursor %j",
    async (cursor) => {
      await fileAgent("zz-neighbour")("write", "secret.txt", { content: "x" });
      const call = fileAgent("cursor");
      await call("write", "a.txt", { content: "x" });
      const result = await call("list", "", { cursor });
      expect(JSON.stringify(result)).not.toContain("secret");
    },
  );

  it.each(["\ud800", "x".repeat(2_000)])("refuses a cursor that is none", async (cursor) => {
    expect(codeOf(await fileAgent("cursor")("list", "", { cursor }))).toBe("bad_cursor");
  });
});
