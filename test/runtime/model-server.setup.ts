/** Starts the misbehaving model server beside the Workers runtime and hands its address to the tests. */
import type { TestProject } from "vitest/node";
import { startBehavingServer } from "../support/model-behaviours.ts";
import { MODEL_FAULT_NAMES } from "../support/model-faults.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server's base URL; what its model names do is told in test/support/model-behaviours.ts. */
    readonly modelServer: string;
    /** Names of all faults that it can show. */
    readonly modelFaults: readonly string[];
  }
}

/** Runs in Node, once for the whole project; the function it returns stops the server. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startBehavingServer();
  project.provide("modelServer", server.baseUrl);
  project.provide("modelFaults", MODEL_FAULT_NAMES);
  return () => server.close();
}
