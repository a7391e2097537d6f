import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { RUN_ROWS } from "../../bench/floor/rows.ts";
import { chat, delivered } from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";

const REFUSED = { name: "FileRW", arguments: { action: "read", path: "figures/october.bin" } };
const oneCall = (agentId: string, call: { readonly name: string; readonly arguments: unknown }) =>
  agent(agentId, { rules: [{ when: { step: 0 }, calls: [call] }, { say: "done" }] });

/** Rows inserted, changed and deleted so far in the storage of all objects of the namespace. */
async function rowsWritten<T extends Rpc.DurableObjectBranded>(namespace: DurableObjectNamespace<T>) {
  let rows = 0;
  for (const id of await listDurableObjectIds(namespace))
    rows += await runInDurableObject(namespace.get(id), (_, { storage }) =>
      Number(storage.sql.exec("SELECT total_changes() AS rows").one().rows),
    );
  return rows;
}

const allRows = async () =>
  (await rowsWritten(env.AGENTS)) + (await rowsWritten(env.CHAINS)) + (await rowsWritten(env.HUB));

/** Rows that one chat with the agent writes, once all of it is delivered. */
async function rowsOfChat(agentId: string): Promise<number> {
  await chat(agentId, "warm up");
  await delivered();
  const before = await allRows();
  await chat(agentId, "go");
  await delivered();
  return (await allRows()) - before;
}

describe("the benchmark's floor", () => {
  it.each([
    ["J1", RUN_ROWS.tool],
    ["J2", RUN_ROWS.ask + RUN_ROWS.answer],
  ])("writes as many rows in %s as the product", async (journey, rows) => {
    await team([oneCall("tool", REFUSED), oneCall("asker", ask("answerer", "well?")), agent("answerer")]);
    const product = await rowsOfChat(journey === "J1" ? "tool" : "asker");
    expect(product).toBe(rows);
  });
});
