import { createExecutionContext, listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createApp } from "../../workers/app.ts";
import { RUN_COSTS, type RunCost } from "../support/run-costs.ts";
import { answerOf, delivered, TOKEN } from "./support/api.ts";
import { countedEnv, NO_COST } from "./support/counted-env.ts";
import { agent, ask, team } from "./support/team.ts";
import { testRegistry } from "./support/test-registry.ts";
import { agentCost, watch } from "./support/watched-world.ts";

/** Rows inserted, changed and deleted so far in the storage of all objects of the namespace. */
async function rowsOf<T extends Rpc.DurableObjectBranded>(
  namespace: DurableObjectNamespace<T>,
): Promise<number> {
  let rows = 0;
  for (const id of await listDurableObjectIds(namespace))
    rows += await runInDurableObject(namespace.get(id), (_, { storage }) =>
      Number(storage.sql.exec("SELECT total_changes() AS rows").one().rows),
    );
  return rows;
}
const objectRows = async () =>
  (await rowsOf(env.AGENTS)) + (await rowsOf(env.CHAINS)) + (await rowsOf(env.HUB));

/** So often agents tell the live feed at least. */
const ALL_TOLD_MS = 200;

/** Everything that runs so far have caused is done. */
async function allTold(): Promise<void> {
  await delivered();
  await new Promise((resolve) => setTimeout(resolve, ALL_TOLD_MS));
  await Promise.all([...watch.worlds.values()].map((world) => world.flushLog()));
}

/** What one chat costs, all of it: the Worker's calls, the objects' calls among each other, their rows, and D1's. */
async function costOfChat(agentId: string): Promise<RunCost> {
  const door = createApp(testRegistry);
  await allTold();
  const worker = { ...NO_COST };
  const before = { ...agentCost };
  const rows = await objectRows();
  const request = new Request(`http://parley.test/api/agents/${agentId}/chat`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ message: "go" }),
  });
  await answerOf(await door.fetch(request, countedEnv(env, worker), createExecutionContext()));
  await allTold();
  const sum = (name: keyof typeof NO_COST) => worker[name] + agentCost[name] - before[name];
  return {
    objectRequests: sum("agentCalls") + sum("hubCalls") + sum("chainCalls"),
    objectRows: (await objectRows()) - rows,
    d1RowsWritten: sum("rowsWritten"),
    d1RowsRead: sum("rowsRead"),
  };
}

const write = { name: "FileRW", arguments: { action: "write", path: "a.txt", content: "text" } };
const team3 = [
  agent("plain"),
  agent("worker", { rules: [{ when: { step: 0 }, calls: [write] }, { say: "done" }] }),
  agent("asker", { rules: [{ when: { step: 0 }, calls: [ask("plain", "well?")] }, { say: "done" }] }),
];

it.each([
  ["answers at once", "plain", RUN_COSTS.plain],
  ["makes one tool call", "worker", RUN_COSTS.tool],
  ["asks a colleague, whose run is counted with it", "asker", RUN_COSTS.ask],
] as const)("a run that %s costs what docs/deploy.md reckons with", async (_does, agentId, reckoned) => {
  await team(team3);
  await costOfChat(agentId);
  const cost = await costOfChat(agentId);
  for (const key of ["objectRequests", "objectRows", "d1RowsWritten", "d1RowsRead"] as const) {
    expect(cost[key], `${key} of ${JSON.stringify(cost)}`).toBeLessThanOrEqual(reckoned[key]);
    expect(cost[key], `${key} of ${JSON.stringify(cost)}`).toBeGreaterThanOrEqual(reckoned[key] * 0.6);
  }
});
