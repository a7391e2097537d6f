import { describe, expect, it } from "vitest";
import { MemoryFiles } from "../../test/support/memory-files.ts";
import { MAX_FILE_BYTES } from "./append.ts";
import { createKeepFile } from "./keep.ts";

const writable = { rootPath: "root", allowWrite: true, allowedExtensions: [".txt", ".pdf"] };

async function kept(path: string, bytes: Uint8Array = new Uint8Array([1]), toolConfig: unknown = writable) {
  const files = new MemoryFiles();
  const { signal } = new AbortController();
  const result = await createKeepFile(files)({ path, bytes }, { instanceId: "test", toolConfig, signal });
  return { ok: result.ok, stored: (await files.head("test/agents/root/mail/a.txt")) !== null, files };
}

describe("a file from outside", () => {
  it("is kept where the agent could write it, whatever bytes it has", async () => {
    expect(await kept("mail/a.txt", new Uint8Array([0, 255, 7]))).toMatchObject({ ok: true, stored: true });
  });

  it.each(["../a.txt", "/a.txt", "mail/../../a.txt", "mail/con.txt", "mail/a\u202e.txt", "mail\\a.txt", ""])(
    "is not kept as %j",
    async (path) => {
      expect((await kept(path)).ok).toBe(false);
    },
  );

  it.each([
    ["another extension", "mail/a.exe", 1, writable],
    ["an extension behind an allowed one", "mail/a.txt.exe", 1, writable],
    ["an agent that may only read", "mail/a.txt", 1, { ...writable, allowWrite: false }],
    ["more bytes than a file may have", "mail/a.txt", MAX_FILE_BYTES + 1, writable],
  ])("is not kept with %s", async (_name, path, size, config) => {
    expect(await kept(path, new Uint8Array(size), config)).toMatchObject({ ok: false, stored: false });
  });
});
