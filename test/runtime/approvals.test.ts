import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { audit, chat, delivered, eventually, get, request, send } from "./support/api.ts";
import { append, appended, approvals, careful, decide, runOut, waitingCall } from "./support/approvals.ts";
import { fifthMinute, notices, scan } from "./support/board.ts";
import { createTask, task } from "./support/tasks.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const turnsShape = z.object({
  turns: z.array(z.looseObject({ input: z.string(), reply: z.string().nullable() })),
});
const replies = async (agentId: string) =>
  turnsShape.parse(await get(`/api/agents/${agentId}/conversation`)).turns.map((turn) => turn.reply ?? "");
const heard = async (agentId: string) =>
  (await replies(agentId)).filter((reply) => reply.startsWith("heard: "));
/** Waits until the agent has been told what became of its call. */
async function told(agentId: string): Promise<string> {
  await eventually(async () => (await heard(agentId)).length > 0);
  await delivered();
  const words = await heard(agentId);
  expect(words).toHaveLength(1);
  return words[0] ?? "";
}
const outcomesOf = async (runId: string) => {
  const entries = (await audit()).filter((entry) => entry.runId === runId);
  return entries.map((entry) => entry.outcome).toReversed();
};

/** More moments than there are between a decision and its end. */
const MAX_MOMENTS = 40;

describe("a call that a person must allow", () => {
  it("is not made, the model learns at once that it waits, and a person is told", async () => {
    await team([careful("anna")]);
    const answer = await chat("anna", "go");
    expect(answer).toMatchObject({ status: "completed" });
    expect(answer.reply).toContain("told: Waiting for approval");
    const waiting = await waitingCall("anna");
    expect(waiting).toMatchObject({ agentId: "anna", runId: answer.runId, tool: "FileRW", decision: null });
    expect(JSON.parse(waiting.arguments)).toEqual(append.arguments);
    await delivered();
    expect(await outcomesOf(answer.runId)).toEqual(["approval"]);
    expect(await notices()).toContainEqual(
      expect.objectContaining({ kind: "approval", text: expect.stringContaining("FileRW") }),
    );
    expect(await appended("anna")).toBe("");
    expect(await chat("anna", "hello")).toMatchObject({ reply: "anna heard: hello" });
  });

  it("L4 is made once it is allowed, and the agent hears of it in the chain and conversation that asked", async () => {
    await team([careful("bert")]);
    const answer = await chat("bert", "go");
    const { approvalId } = await waitingCall("bert");
    const decided = await decide(approvalId, "approve", "but only this once");
    expect(await decided.json()).toEqual({ ok: true, approvalId, decision: "approved" });
    const words = await told("bert");
    expect(words).toContain("A person allowed it and says: but only this once");
    expect(await appended("bert")).toBe("x");
    expect(await approvals("bert")).toEqual([]);
    expect(await outcomesOf(answer.runId)).toEqual(["approval", "ok"]);
    const chain = z.looseObject({
      runs: z.array(
        z.looseObject({ parentRunId: z.string().nullable(), trigger: z.string(), depth: z.number() }),
      ),
    });
    const { runs } = chain.parse(await get(`/api/chains/${answer.rootRunId}`));
    expect(runs.map((run) => [run.parentRunId, run.trigger, run.depth])).toEqual([
      [null, "chat", 1],
      [answer.runId, "chat", 2],
    ]);
  });

  it("is refused with the person's words when it is rejected", async () => {
    await team([careful("carl")]);
    const answer = await chat("carl", "go");
    const { approvalId } = await waitingCall("carl");
    expect((await decide(approvalId, "reject", "write to the other file")).status).toBe(200);
    expect(await told("carl")).toContain("A person refused the call: write to the other file");
    expect(await appended("carl")).toBe("");
    expect(await outcomesOf(answer.runId)).toEqual(["approval", "denied"]);
  });

  it("is refused, and said to be, when nobody decides in time", async () => {
    await team([careful("dora"), careful("doro")]);
    for (const agentId of ["dora", "doro"]) await chat(agentId, "go");
    const { approvalId } = await waitingCall("dora");
    const other = await waitingCall("doro");
    await scan(fifthMinute());
    expect(await approvals("dora"), "in time it goes on waiting").toHaveLength(1);
    await runOut("dora", approvalId);
    await scan(fifthMinute());
    expect(await told("dora")).toContain("Nobody decided within 72 hours");
    expect(await appended("dora")).toBe("");
    await runOut("doro", other.approvalId);
    const late = await decide(other.approvalId, "approve");
    expect(late.status, "a decision that comes too late makes no call").toBe(409);
    expect(await told("doro")).toContain("Nobody decided");
    expect(await appended("doro")).toBe("");
  });

  it("is decided once, however many decide at the same moment", async () => {
    await team([careful("emil")]);
    await chat("emil", "go");
    const { approvalId } = await waitingCall("emil");
    const decisions = await Promise.all(
      ["approve", "reject", "approve", "approve", "reject"].map((decision) => decide(approvalId, decision)),
    );
    expect(decisions.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    await told("emil");
    expect((await appended("emil")).length).toBeLessThanOrEqual(1);
    const again = await decide(approvalId, "approve");
    expect(await again.json()).toMatchObject({
      error: { code: "refused", issues: [{ message: "already_decided" }] },
    });
  });

  it("L2 is made at most once, and told once, with the power cut at any moment after the decision", async () => {
    let cuts = 0;
    const outcomes = new Set<string>();
    for (let at = 1; at <= MAX_MOMENTS; at += 1) {
      const agentId = `f${at}`;
      await team([careful(agentId)]);
      const answer = await chat(agentId, "go");
      const { approvalId } = await waitingCall(agentId);
      await delivered();
      resetWatch();
      watch.cut = { objectName: agentId, at };
      expect((await decide(approvalId, "approve")).status, `cut at ${at}`).toBe(200);
      const words = await told(agentId);
      const [asked, outcome = ""] = await outcomesOf(answer.runId);
      expect(asked).toBe("approval");
      outcomes.add(outcome);
      const written = (await appended(agentId)).length;
      expect(written, `cut at ${at}`).toBeLessThanOrEqual(1);
      if (outcome === "ok") expect(written).toBe(1);
      else expect(words).toContain("Unknown outcome");
      if (watch.cuts === 0) break;
      cuts += 1;
    }
    expect(cuts).toBeGreaterThan(3);
    expect([...outcomes].sort()).toEqual(["interrupted", "ok"]);
  }, 120_000);

  it("waits for the end of a pause without anybody looking again when the queue is full", async () => {
    await team([careful("pia"), agent("busy")]);
    const full = { ...careful("pia"), limits: { queue: 1 } };
    expect((await send("PUT", "/api/agents/pia", full)).status).toBe(200);
    await chat("pia", "go");
    const { approvalId } = await waitingCall("pia");
    await send("POST", "/api/agents/pia/pause");
    expect((await send("POST", "/api/agents/pia/runs", { message: "later", wait: false })).status).toBe(202);
    expect((await decide(approvalId, "approve")).status).toBe(200);
    await eventually(async () => (await appended("pia")) === "x");
    const stub = env.AGENTS.get(env.AGENTS.idFromName("pia"));
    await runDurableObjectAlarm(stub);
    const next = await runInDurableObject(stub, (_, state) => state.storage.getAlarm());
    expect(next ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Date.now() + 60_000);
    await send("POST", "/api/agents/pia/resume");
    expect(await told("pia")).toContain("FileRW");
  });

  it("is not made any more once its chain has been cancelled", async () => {
    await team([careful("gina")]);
    const answer = await chat("gina", "go");
    const { approvalId } = await waitingCall("gina");
    expect((await send("POST", `/api/chains/${answer.rootRunId}/cancel`)).status).toBe(200);
    await decide(approvalId, "approve");
    await eventually(async () => (await outcomesOf(answer.runId)).length === 2);
    expect(await outcomesOf(answer.runId)).toEqual(["approval", "denied"]);
    await delivered();
    expect(await appended("gina")).toBe("");
  });

  it("is not asked for when its arguments are wrong: the model hears at once", async () => {
    const wrong = { name: "FileRW", arguments: { action: "append", path: "log.txt" } };
    await team([careful("hans", [{ when: { user: "go", step: 0 }, calls: [wrong] }])]);
    expect((await chat("hans", "go")).reply).toContain("append needs content");
    await delivered();
    expect(await approvals("hans")).toEqual([]);
  });

  it("is denied at once where the chain is so deep that nobody could be told of the decision", async () => {
    await team([careful("paul")], { perChain: { depth: 1 } });
    const answer = await chat("paul", "go");
    expect(answer.reply).toContain("Denied (depth)");
    await delivered();
    expect(await outcomesOf(answer.runId)).toEqual(["denied"]);
    expect(await approvals("paul")).toEqual([]);
    await team([careful("paul")]);
  });

  it("L6 of an answering run wakes its agent in a run of its own, which may ask again", async () => {
    const asking = agent("quin", {
      rules: [
        { when: { user: "/^start/", step: 0 }, calls: [ask("rosa", "please append")] },
        { say: "quin: {{result}}" },
      ],
    });
    const asked = [
      { when: { user: "please append", step: 0 }, calls: [append] },
      { when: { user: "please append", step: 1 }, say: "told: {{result}}" },
    ];
    await team([asking, careful("rosa", asked)]);
    expect((await chat("quin", "start")).reply).toContain("told: Waiting for approval");
    const { approvalId, rootRunId } = await waitingCall("rosa");
    await decide(approvalId, "approve");
    await told("rosa");
    const runs = z.looseObject({
      runs: z.array(z.looseObject({ agentId: z.string(), trigger: z.string() })),
    });
    const members = runs.parse(await get(`/api/chains/${rootRunId}`)).runs;
    expect(members.map(({ agentId, trigger }) => `${agentId} ${trigger}`)).toEqual([
      "quin chat",
      "rosa ask",
      "rosa run",
    ]);
  });

  it("shows its arguments whole as long as it waits", async () => {
    await team([careful("sara")]);
    await chat("sara", "go");
    const { approvalId } = await waitingCall("sara");
    const path = `/api/approvals/${encodeURIComponent(approvalId)}`;
    expect(await get(path)).toEqual({ approvalId, arguments: JSON.stringify(append.arguments) });
    await decide(approvalId, "reject");
    await told("sara");
    expect((await request(path)).status).toBe(404);
  });

  it("leaves other actions of the same tool alone", async () => {
    const list = { name: "FileRW", arguments: { action: "list", path: "" } };
    await team([careful("ilse", [{ when: { user: "go", step: 0 }, calls: [list] }])]);
    const answer = await chat("ilse", "go");
    await delivered();
    expect(await outcomesOf(answer.runId)).toEqual(["ok"]);
  });

  it("L9 keeps its task waiting, however often the board is looked after, and finishes it once it is allowed", async () => {
    const rules = [
      { when: { user: "/^Task (\\S+) from/", step: 0 }, calls: [append] },
      { when: { user: "/^Task (\\S+) from/", step: 1 }, say: "I wait for leave" },
      {
        when: { user: "/^Your call/", step: 0 },
        calls: [{ name: "task_list", arguments: { status: "waiting" } }],
      },
      {
        when: { user: "/^Your call/", step: 1, result: '/"taskId":"([^"]+)"/' },
        calls: [{ name: "task_complete", arguments: { taskId: "{{result.1}}", result: "written" } }],
      },
      { when: { user: "/^Your call/" }, say: "heard: it is done" },
    ];
    await team([careful("jens", rules)]);
    const { taskId } = await createTask({ assignee: "jens" });
    const { approvalId } = await waitingCall("jens");
    await eventually(async () => (await task(taskId)).status === "waiting");
    for (let pass = 0; pass < 3; pass += 1) await scan();
    expect(await task(taskId)).toMatchObject({ status: "waiting", attempts: 1 });
    await decide(approvalId, "approve");
    await eventually(async () => (await task(taskId)).status === "done");
    expect(await appended("jens")).toBe("x");
    expect(await task(taskId)).toMatchObject({ result: "written", attempts: 1 });
  });

  it("L9 blocks its task when the agent does not finish it after the decision", async () => {
    const rules = [
      { when: { user: "/^Task (\\S+) from/", step: 0 }, calls: [append] },
      { when: { user: "/^Task (\\S+) from/" }, say: "I wait for leave" },
    ];
    await team([careful("kurt", rules)]);
    const { taskId } = await createTask({ assignee: "kurt" });
    const first = await waitingCall("kurt");
    await eventually(async () => (await task(taskId)).status === "waiting");
    await decide(first.approvalId, "reject");
    await eventually(async () => (await approvals("kurt")).some((each) => each.runId !== first.runId));
    expect(await task(taskId), "it was offered once more, which asks again").toMatchObject({ attempts: 2 });
    const second = await waitingCall("kurt");
    await eventually(async () => (await task(taskId)).status === "waiting");
    await decide(second.approvalId, "reject");
    await eventually(async () => (await task(taskId)).status === "blocked");
  });
});

describe("the approvals' door", () => {
  it("knows no approval that was never asked for", async () => {
    for (const id of ["nobody.0000:0:0", "junk", "..", "anna.x:0:0", "%00", "'; --"])
      expect((await decide(id, "approve")).status, id).toBe(404);
  });

  it("takes no decision but yes and no", async () => {
    for (const body of [
      {},
      { decision: "expire" },
      { decision: "approved" },
      { decision: "approve", by: "me" },
      [],
    ])
      expect((await send("POST", "/api/approvals/anna.x:0:0", body)).status).toBe(400);
    expect((await request("/api/approvals", { headers: { Authorization: "Bearer wrong" } })).status).toBe(
      401,
    );
  });
});

describe("a call by hand", () => {
  const byHand = (agentId: string, name: string, args: unknown) =>
    send("POST", `/api/agents/${agentId}/tools/${name}`, args);

  it("is made with the agent's config, answers the result, and is in the audit as a person's act", async () => {
    await team([careful("lena")]);
    const response = await byHand("lena", "FileRW", append.arguments);
    expect(await response.json(), "a person needs nobody's leave").toMatchObject({ outcome: "ok" });
    expect(await appended("lena")).toBe("x");
    await delivered();
    const [entry] = await audit("?agentId=lena");
    expect(entry).toMatchObject({ tool: "FileRW", outcome: "ok", parentRunId: null });
    expect(entry?.runId).toMatch(/^@human\./);
    expect(entry?.rootRunId).toBe(entry?.runId);
  });

  it("says what is wrong with it", async () => {
    await team([careful("mona"), agent("nora", { tools: {} })]);
    const cases: readonly [string, string, unknown, string][] = [
      ["mona", "FileRW", { action: "append" }, "path"],
      ["mona", "Nothing", {}, 'no function "Nothing"'],
      ["mona", "ask_agent", { agentId: "nora", question: "?" }, "no tool's"],
      ["nora", "FileRW", append.arguments, 'no function "FileRW"'],
    ];
    for (const [agentId, name, args, reason] of cases) {
      const result = z.object({ outcome: z.string(), content: z.string() }).loose();
      const { outcome, content } = result.parse(await (await byHand(agentId, name, args)).json());
      expect(outcome).toBe("failed");
      expect(content).toContain(reason);
    }
    expect((await byHand("nobody", "FileRW", {})).status).toBe(404);
  });
});
