import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeBinary, root } from "../scripts/instance/paths.mjs";
import { runWrangler, spawnServer } from "../scripts/instance/wrangler.mjs";

export const TOKEN = "bench-token-0123456789";

/**
 * Starts the product's Worker, the floor's Worker and the model server, each a process of its own with its
 * own state, both Workers with the same flags.
 * @returns `{product, floor, models, stop()}`, the first three as ports
 */
export async function startServers(log) {
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-"));
  const models = startModelServer();
  const product = await startWorker({ folder, log, name: "product", config: join(root, "wrangler.toml") });
  const floor = await startWorker({
    folder,
    log,
    name: "floor",
    config: join(root, "bench", "floor", "wrangler.toml"),
  });
  const ready = Promise.all([product.ready, floor.ready, models.ready]);
  const stop = async () => {
    models.stop();
    await Promise.all([product.stop(), floor.stop()]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [productPort, floorPort, modelPort] = await ready;
    return { product: productPort, floor: floorPort, models: modelPort, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startModelServer() {
  const child = spawn(nodeBinary(), [join(root, "bench", "model-server.mjs")], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  return { ready: once(child, "message").then(([{ port }]) => port), stop: () => child.kill() };
}

async function startWorker({ folder, log, name, config }) {
  const stateDir = join(folder, name);
  mkdirSync(stateDir);
  const varsFile = join(folder, `${name}.vars`);
  writeFileSync(varsFile, `API_TOKEN=${TOKEN}\n`);
  const shared = { name, log, cwd: root, mark: `${folder}-${name}`, registry: join(stateDir, "registry") };
  const state = ["--local", "--persist-to", stateDir, "--config", config];
  await runWrangler({ ...shared, args: ["d1", "migrations", "apply", "DB", ...state] });
  const program = join(root, "bench", "worker-process.mjs");
  return spawnServer({ ...shared, program, args: [config, stateDir, varsFile] });
}
