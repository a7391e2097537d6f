import { expect, it } from "vitest";
import { createScrubber } from "../../core/scrub/index.ts";
import { MemoryFiles } from "../../test/support/memory-files.ts";
import { listFolder } from "./list.ts";

/** Invented; they open nothing. The hook may be a path. */
const KEY = "hjT-4m_Zq7.xKd";
const secrets = { HOOK: "T9fhL2kq/Rw8x-Nc2Vy6p", KEY };
const { scrub } = createScrubber(new Map(Object.entries(secrets)));

/** What a model is told of the folder, in a bucket whose files are all directly in it. */
async function listed(path: string, names: readonly string[]) {
  const files = new MemoryFiles();
  const key = path === "" ? "root/" : `root/${path}/`;
  for (const name of names) files.set(key + name, "x");
  const config = { rootPath: "root", allowWrite: false, allowedExtensions: [".txt"] };
  const result = await listFolder(
    files,
    { path, key },
    { limit: 10, cursor: undefined, config, mask: scrub },
  );
  if (!result.ok) throw new Error(result.message);
  return result.content;
}

it("L5 a secret that a folder's slash divides is masked in the names of its files", async () => {
  const content = await listed("notes/T9fhL2kq", ["Rw8x-Nc2Vy6p.txt", "b.txt"]);
  expect(JSON.parse(content)).toMatchObject({
    path: "notes/T9fhL2kq",
    files: [{ name: "notes/[secret:HOOK].txt" }, { name: "b.txt" }],
  });
  expect(content).not.toContain("Nc2Vy6p");
});

it("L5 a secret in one name is masked where it stands, and other names stay as they are", async () => {
  const content = await listed("notes", ["a.txt", `key ${KEY}.txt`]);
  expect(JSON.parse(content)).toMatchObject({ files: [{ name: "a.txt" }, { name: "key [secret:KEY].txt" }] });
});
