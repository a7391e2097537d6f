import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Instance, type InstanceOptions, startInstance } from "../../scripts/instance/instance.mjs";
import { builtWorker } from "./built-worker.ts";
import { giveMigratedState } from "./migrated-state.ts";

export interface Scratch {
  readonly stateDir: string;
  readonly varsFile: string;
  /** Two scripted agents, `asker` and `knower`: told anything, the first asks the second. */
  readonly configFile: string;
  remove(): void;
}

const pair = {
  instance: { id: "process-test", timeZone: "UTC" },
  agents: [
    {
      agentId: "asker",
      name: "Asker",
      description: "Passes questions on.",
      systemPrompt: "Ask knower.",
      colleagues: ["knower"],
      tools: { AskAgent: {} },
      model: {
        provider: "scripted",
        script: JSON.stringify({
          rules: [
            {
              when: { step: 0 },
              calls: [{ name: "ask_agent", arguments: { agentId: "knower", question: "How many?" } }],
            },
            { when: {}, say: "Now I know." },
          ],
        }),
      },
    },
    {
      agentId: "knower",
      name: "Knower",
      description: "Knows the number.",
      systemPrompt: "Answer with the number.",
      tools: {},
      model: {
        provider: "scripted",
        script: JSON.stringify({ rules: [{ when: {}, say: "There are seven." }] }),
      },
    },
  ],
};

/** A folder for one test's instance, with a vars file of its own: a known token, and no key for a real model. */
export function scratchFolder(token = "process-test-token-0123"): Scratch {
  const folder = mkdtempSync(join(tmpdir(), "parley-process-"));
  const varsFile = join(folder, "vars");
  writeFileSync(varsFile, `API_TOKEN="${token}"\nOPENAI_API_KEY=""\n`, { mode: 0o600 });
  const configFile = join(folder, "config.json");
  writeFileSync(configFile, JSON.stringify(pair));
  return {
    configFile,
    stateDir: join(folder, "state"),
    varsFile,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts an instance there, quietly and without cron. */
export async function startIn(scratch: Scratch, options: InstanceOptions = {}): Promise<Instance> {
  const { stateDir, varsFile, configFile } = scratch;
  const [workerConfig] = await Promise.all([builtWorker(), giveMigratedState(stateDir)]);
  const quiet = { cron: false, log: () => undefined };
  return startInstance({ stateDir, varsFile, configFile, workerConfig, ...quiet, ...options });
}
