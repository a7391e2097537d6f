/** A chain whose books its root keeps: the same budget and the same view as with an object of the chain's own. */
import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { createSchema } from "../../core/journal/schema.ts";
import { objectDatabase } from "../../durable-objects/sqlite.ts";
import { chat, delivered } from "./support/api.ts";
import { chainOf, chainRuns, noticesOf, receiptsOf } from "./support/chains.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

describe("L10: a root and those it asks one after the other", () => {
  const again = (...calls: readonly (readonly string[])[]) =>
    agent("a", {
      rules: [
        ...calls.map((ids, step) => ({ when: { step }, calls: ids.map((id) => ask(id, `${step}?`)) })),
        { say: "heard: {{result}}" },
      ],
    });
  const hasObject = async (rootRunId: string) => {
    const made = (await listDurableObjectIds(env.CHAINS)).map(String);
    return made.includes(String(env.CHAINS.idFromName(rootRunId)));
  };
  const membersOf = (rootRunId: string) =>
    env.CHAINS.get(env.CHAINS.idFromName(rootRunId))
      .view()
      .then(({ members }) => members.map(({ agentId, receipt }) => `${agentId} ${receipt?.status}`).sort());

  it("L10: need no object of the chain's, and are shown with all that they cost", async () => {
    await team([again(["b"], ["b"], ["c"]), agent("b"), agent("c")]);
    const { rootRunId, status } = await chat("a", "go");
    expect(status).toBe("completed");
    const shown = await chainOf(rootRunId);
    await delivered();
    expect(shown).toMatchObject({ frozen: false, totals: { runs: 4, depth: 2, unpricedRuns: 0 } });
    const costs = (await receiptsOf(rootRunId)).map((row) => Number(row.CostMicros));
    const sum = costs.reduce((total, cost) => total + cost, 0);
    expect(shown).toMatchObject({ totals: { costUsd: sum / 1e6 } });
    expect(await hasObject(rootRunId)).toBe(false);
  });

  it("L10: are one chain's budget: what an answer has used stops the asker, and the freeze shows all of them", async () => {
    await team([again(["b"], ["b"], ["b"]), agent("b")]);
    const first = await chat("a", "go");
    await delivered();
    const [asked] = (await chainRuns(first.rootRunId)).filter((run) => run.agentId === "b");
    // Room for what the asker and one answer use, and for little more.
    const used = (asked?.inputTokens ?? 0) + (asked?.outputTokens ?? 0);
    await team([again(["b"], ["b"], ["b"]), agent("b")], { perChain: { tokens: used * 2 } });
    const { rootRunId, status } = await chat("a", "go");
    expect(status).toBe("budget");
    await delivered();
    const chain = await chainOf(rootRunId);
    expect(chain).toMatchObject({ frozen: true });
    const runs = await chainRuns(rootRunId);
    expect(runs.length).toBeGreaterThan(1);
    expect(await membersOf(rootRunId)).toEqual(runs.map((run) => `${run.agentId} ${run.status}`).sort());
    expect(await receiptsOf(rootRunId)).toHaveLength(runs.length);
    expect(await noticesOf(rootRunId)).toHaveLength(1);
  });

  it("L10: hand their books over to the chain's object when two are asked at once", async () => {
    await team([again(["b"], ["b", "c"], ["c"]), agent("b"), agent("c")]);
    const { rootRunId } = await chat("a", "go");
    await delivered();
    const all = ["a completed", "b completed", "b completed", "c completed", "c completed"];
    expect(await membersOf(rootRunId)).toEqual(all);
    expect(await chainOf(rootRunId)).toMatchObject({ totals: { runs: 5, unpricedRuns: 0 } });
  });

  it("L10: are one budget also where the answering agent's object is restarted as it learns that", async () => {
    // Moments of the run itself; what comes after it is delivery.
    for (let at = 1; at <= 6; at += 1) {
      await team([again(["b"]), agent("b")], { perChain: { tokens: 1 } });
      resetWatch();
      watch.cut = { objectName: "b", at };
      const { rootRunId, status } = await chat("a", "go");
      expect(status, `cut at ${at}`).toBe("budget");
      await delivered();
      expect(
        watch.requests.map(({ objectName }) => objectName),
        `cut at ${at}`,
      ).toEqual(["a"]);
      expect(await noticesOf(rootRunId)).toHaveLength(1);
      expect(watch.cuts).toBe(1);
    }
  });

  it("L10: are one budget for the tasks that an answering agent gives", async () => {
    const gives = {
      name: "task_create",
      arguments: { assignee: "c", title: "count", description: "Count the bags." },
    };
    const board = { AskAgent: {}, Taskboard: {} };
    await team(
      [
        again(["d"], ["d"], ["b"]),
        agent("b", { tools: board, rules: [{ when: { step: 0 }, calls: [gives] }, { say: "{{result}}" }] }),
        agent("c", { tools: board }),
        agent("d"),
      ],
      { perChain: { runs: 4 } },
    );
    const { reply, rootRunId } = await chat("a", "go");
    expect(reply).toContain("the chain may have 4 runs");
    await delivered();
    const all = ["a completed", "b completed", "d completed", "d completed"];
    expect(await membersOf(rootRunId)).toEqual(all);
  });

  it("L10: are counted also after the asker's object was restarted", async () => {
    for (let at = 1; at < 60; at += 1) {
      await team([again(["b"], ["b"]), agent("b")], { perChain: { runs: 2 } });
      resetWatch();
      watch.cut = { objectName: "a", at };
      const { reply, rootRunId } = await chat("a", "go");
      expect(reply, `cut at ${at}`).toContain("Denied (runs)");
      await delivered();
      expect((await chainRuns(rootRunId)).map((run) => run.agentId)).toEqual(["a", "b"]);
      if (watch.cuts === 0) return expect(at).toBeGreaterThan(10);
    }
  });
});

it("an agent's object of an older version gets the columns that the books need, once", async () => {
  await runInDurableObject(env.CHAINS.get(env.CHAINS.idFromName("an older agent's tables")), (_, state) => {
    const db = objectDatabase(state.storage);
    createSchema(db);
    db.run("ALTER TABLE Runs DROP COLUMN asker; ALTER TABLE Calls DROP COLUMN answer");
    for (const _start of [1, 2]) createSchema(db);
    expect(db.all("SELECT asker FROM Runs")).toEqual([]);
    expect(db.all("SELECT answer FROM Calls")).toEqual([]);
  });
});
