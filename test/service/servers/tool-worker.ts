import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import { runWrangler, spawnServer } from "../../../scripts/instance/wrangler.mjs";
import type { Certificates } from "./certificates.ts";
import type { RunningServer } from "./mariadb.ts";

const root = resolve(import.meta.dirname, "../../..");

/**
 * Starts one workerd that runs `test/service/tool-worker.ts` with this repository's compatibility flags. It trusts
 * the test authority, as the runtime reads its extra authorities from the environment.
 */
export async function startToolWorker(folder: string, { ca }: Certificates): Promise<RunningServer<string>> {
  mkdirSync(folder);
  const lines: string[] = [];
  process.env.NODE_EXTRA_CA_CERTS = ca;
  const shared = { name: "tools", cwd: root, mark: folder, registry: join(folder, "registry") };
  // Bundled once instead of by `dev`, which would watch the sources and start anew in the middle of a test.
  const bundle = join(folder, "bundle");
  const source = writeConfig(folder, { main: join(root, "test", "service", "tool-worker.ts") });
  await runWrangler({ ...shared, args: ["deploy", "--dry-run", "--outdir", bundle, "--config", source] });
  const built = writeConfig(bundle, { main: "tool-worker.js", no_bundle: true });
  const server = spawnServer({
    ...shared,
    log: (line) => lines.push(line),
    args: [
      ...["dev", "--config", built, "--local", "--persist-to", join(folder, "state")],
      ...["--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0"],
      ...["--log-level=error", "--show-interactive-dev-session=false"],
    ],
  });
  try {
    const port = await server.ready;
    return { access: `http://127.0.0.1:${port}`, stop: server.stop };
  } catch (error) {
    await server.stop();
    throw new Error(`the tools' Worker did not start:\n${lines.join("\n")}`, { cause: error });
  }
}

function writeConfig(folder: string, code: { readonly main: string; readonly no_bundle?: boolean }): string {
  const own = readConfig({ config: join(root, "wrangler.toml") });
  const config = {
    name: "parley-tools-under-test",
    compatibility_date: own.compatibility_date,
    compatibility_flags: own.compatibility_flags,
    r2_buckets: [{ binding: "FILES", bucket_name: "files" }],
    send_email: [{ name: "EMAIL", allowed_destination_addresses: ["ann@example.test", "bob@example.test"] }],
    ...code,
  };
  const path = join(folder, "wrangler.json");
  writeFileSync(path, JSON.stringify(config));
  return path;
}
