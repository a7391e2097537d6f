import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { RUNNERS } from "../../scripts/test/runners.mjs";

/** What the runners leave to do of each project: of one that is cut into parts, the parts that no runner has. */
function partsByProject(): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  for (const runner of RUNNERS) {
    const shard =
      runner.find((argument) => argument.startsWith("--shard="))?.slice("--shard=".length) ?? "1/1";
    runner.forEach((argument, index) => {
      const project = runner[index + 1];
      if (argument !== "--project" || project === undefined) return;
      parts.set(project, [...(parts.get(project) ?? []), shard]);
    });
  }
  return parts;
}

it("npm test runs every project of the test config, each part of it once", () => {
  // The config itself cannot be loaded inside a test: it reads the migrations with the runtime's plugin.
  const config = readFileSync("vitest.config.ts", "utf8");
  const projects = [...config.matchAll(/\bname: "([a-z]+)"/g)].map(([, name]) => name ?? "");
  expect(projects.length).toBeGreaterThan(4);
  const parts = partsByProject();
  expect([...parts.keys()].sort()).toEqual(projects.sort());
  for (const [project, shards] of parts) {
    const count = Number(shards[0]?.split("/")[1]);
    const all = Array.from({ length: count }, (_, index) => `${index + 1}/${count}`);
    expect({ project, shards: shards.sort() }).toEqual({ project, shards: all });
  }
});
