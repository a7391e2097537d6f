import { setTimeout as wait } from "node:timers/promises";

const DELIVERY_TRIES = 150;
const DELIVERY_WAIT_MS = 200;
const RUN_WAIT_MS = 1_000;

/** Waits for a run's end without its stream. @returns its receipt and its reply */
export async function waitForRun(api, runId) {
  for (;;) {
    const { run, receipt } = await api.get(`/api/runs/${runId}`);
    if (receipt !== null) return { receipt, reply: run.reply ?? "" };
    await wait(RUN_WAIT_MS);
  }
}

/**
 * What the record knows of a chain, once its rows have arrived there.
 * @returns `chain`, `runs` with their audit entries, `unsent` (rows that are still on their way)
 */
export async function readChain(api, rootRunId) {
  const unsent = await waitForDelivery(api);
  const chain = await api.get(`/api/chains/${rootRunId}`);
  const runs = await Promise.all(chain.runs.map(({ runId }) => api.get(`/api/runs/${runId}`)));
  return { chain, runs, unsent };
}

async function waitForDelivery(api) {
  let unsent = await countUnsent(api);
  for (let tries = 1; unsent > 0 && tries < DELIVERY_TRIES; tries += 1) {
    await wait(DELIVERY_WAIT_MS);
    unsent = await countUnsent(api);
  }
  return unsent;
}

async function countUnsent(api) {
  const agents = await api.get("/api/agents");
  return agents.reduce((sum, agent) => sum + agent.unsent, 0);
}

/** The files, each with its key in the bucket. */
export async function withKeys(api, files) {
  const { instance, agents } = await api.get("/api/config");
  const rootPath = (agentId) => agents.find((agent) => agent.agentId === agentId)?.tools.FileRW?.rootPath;
  return files.map((file) => ({
    ...file,
    key: `${encodeURIComponent(instance.id)}/agents/${rootPath(file.agentId)}/${file.path}`,
  }));
}
