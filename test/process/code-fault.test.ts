/** `npm start` with code that wrangler cannot make a Worker of. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratchFolder, startIn } from "./instance.ts";

it("says what is wrong with a Worker that cannot be bundled, and that its code has to be mended", async () => {
  const scratch = scratchFolder();
  const folder = mkdtempSync(join(tmpdir(), "parley-code-fault-"));
  const workerConfig = join(folder, "wrangler.json");
  writeFileSync(
    join(folder, "index.ts"),
    'import { gone } from "./gone.ts";\nexport default { fetch: gone };\n',
  );
  writeFileSync(
    workerConfig,
    JSON.stringify({ name: "parley", main: "index.ts", compatibility_date: "2026-01-01" }),
  );
  const starting = startIn(scratch, { workerConfig });
  await expect(starting).rejects.toThrow(/Could not resolve "\.\/gone\.ts"[\s\S]*Mend the code first/);
  scratch.remove();
  rmSync(folder, { recursive: true });
});
