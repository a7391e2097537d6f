import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import {
  type Answer,
  agentsShape,
  answerOf,
  audit,
  chat,
  delivered,
  eventually,
  get,
  messages,
  send,
} from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

const GOOD = "All is well.";

/** What becomes of a run whose provider shows the fault once and is well afterwards. */
type Outcome =
  /** The odd answer is understood. */
  | "understood"
  /** It is asked again, and its next answer counts. */
  | "retried"
  /** The model is told why its calls could not be made. */
  | "told"
  /** The run says why it failed: its reason. */
  | `failed: ${string}`;

/** Every fault that is not named here must be understood. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  ...outcome("retried", [
    "error-429-in-200",
    "error-502-in-200",
    "error-in-choice",
    "empty-200",
    "html-200",
    "truncated-json",
    "choices-empty",
    "choices-null",
    "message-null",
    "rate-limited-2s",
    "rate-limited-ms",
    "error-500",
    "error-529",
    "error-408",
    "context-length-code",
    "context-length-text",
    "payload-too-large",
    "hang",
    "stream-ends-early",
    "stream-connection-cut",
    "stream-cut-in-event",
    "stream-done-in-call",
    "stream-error-chunk",
    "stream-error-event",
    "stream-bad-json",
    "stream-empty",
    "reset",
  ]),
  ...outcome("told", [
    "arguments-object",
    "arguments-null-text",
    "arguments-array-text",
    "arguments-string-text",
    "arguments-empty-text",
    "call-without-id",
    "call-ids-doubled",
    "call-id-one-character",
    "call-id-too-long",
    "calls-with-finish-stop",
    "length-with-cut-call",
    "length-with-whole-call",
    "stream-call-without-index",
    "stream-call-without-id",
    "stream-call-without-index-and-id",
    "stream-same-index-two-ids",
    "stream-index-gap",
  ]),
  ...outcome("failed: content_filter", ["content-filter"]),
  ...outcome("failed: refusal", ["refusal", "stream-refusal"]),
  ...outcome("failed: quota", ["insufficient-quota", "payment-required"]),
  ...outcome("failed: not_found", ["model-not-found"]),
  ...outcome("failed: auth", ["unauthorized"]),
  ...outcome("failed: bad_request", ["bad-request", "refuses-any-content"]),
  // These runs have no 120 seconds left.
  ...outcome("failed: rate_limited", ["rate-limited-120s", "rate-limited-until"]),
};

function outcome(of: Outcome, faults: readonly string[]): Record<string, Outcome> {
  return Object.fromEntries(faults.map((fault) => [fault, of]));
}

const outcomeOf = (fault: string): Outcome => OUTCOMES[fault] ?? "understood";

function modelAgent(agentId: string, name: string, limits: Readonly<Record<string, number>> = {}) {
  return agent(agentId, { model: { provider: "openai", name, baseUrl: inject("modelServer") }, limits });
}

function limitsFor(fault: string): Record<string, number> {
  if (fault === "rate-limited-120s" || fault === "rate-limited-until") return { runSeconds: 60 };
  return fault === "hang" ? { modelSeconds: 1 } : {};
}

/** One agent and one run for each fault, all at once. */
async function runAll(modelOf: (fault: string) => string): Promise<Map<string, Answer>> {
  const faults = inject("modelFaults");
  await team(faults.map((fault) => modelAgent(fault, modelOf(fault), limitsFor(fault))));
  const answers = faults.map(async (fault) => {
    const response = await send("POST", `/api/agents/${fault}/runs`, { message: "hello" });
    return [fault, await answerOf(response)] as const;
  });
  return new Map(await Promise.all(answers));
}

const attemptsOf = (objectName: string) =>
  watch.requests.filter((request) => request.objectName === objectName).length;

beforeEach(resetWatch);

describe("a provider's oddity", () => {
  it("shown once is understood, retried, told to the model, or ends the run with a reason", async () => {
    const answers = await runAll((fault) => `once/${fault}/oddity`);
    expect(answers.size).toBeGreaterThan(70);
    for (const [fault, answer] of answers) expect([fault, summary(answer)]).toEqual([fault, once(fault)]);
    await delivered();
    const told = (await audit("?limit=500")).filter((entry) => entry.outcome !== "failed");
    expect(told).toEqual([]);
  }, 60_000);

  it("shown for ever ends the run with a reason, after a bounded number of attempts", async () => {
    const answers = await runAll((fault) => `fault/${fault}`);
    for (const [fault, { status, receipt }] of answers) {
      const expected = outcomeOf(fault);
      if (expected === "understood") expect([fault, status]).toEqual([fault, "completed"]);
      else if (expected === "told")
        expect([fault, status, receipt.reason]).toEqual([fault, "failed", "repetition"]);
      else if (expected !== "retried")
        expect([fault, `failed: ${receipt.reason}`]).toEqual([fault, expected]);
      if (status === "completed") continue;
      expect([fault, status, receipt.reason === "internal_error"]).toEqual([fault, "failed", false]);
      expect([fault, (receipt.error ?? "").length > 5]).toEqual([fault, true]);
      expect([fault, attemptsOf(fault) <= 6 || fault === "hang"]).toEqual([fault, true]);
    }
  }, 120_000);
});

/** What can be seen of an answer: its status, its reason, and whose words it ends with. */
function summary({ status, reply, receipt }: Answer) {
  return { status, reason: receipt.reason, steps: receipt.steps, good: reply === GOOD };
}

function once(fault: string): ReturnType<typeof summary> {
  const expected = outcomeOf(fault);
  switch (expected) {
    case "understood":
      return { status: "completed", reason: null, steps: 1, good: isAnswerGood(fault) };
    case "retried":
      return { status: "completed", reason: null, steps: 1, good: true };
    case "told":
      return { status: "completed", reason: null, steps: 2, good: true };
    default: {
      const reason = expected.slice("failed: ".length);
      return { status: "failed", reason, steps: /content_filter|refusal/.test(reason) ? 1 : 0, good: false };
    }
  }
}

/** These are asked again within one attempt, and then get the good answer. */
const isAnswerGood = (fault: string) => fault === "refuses-stream-options" || fault === "refuses-streaming";

describe("an answer cut at the output limit", () => {
  it("has none of its calls made, and the model is told why", async () => {
    await team([modelAgent("a", "cut-write/once")]);
    const answer = await chat("a", "write it down");
    expect(summary(answer)).toEqual({ status: "completed", reason: null, steps: 2, good: true });
    expect(watch.requests.at(-1)?.text).toContain("cut at the model's output limit");
    expect(await env.FILES.head("test/agents/a/cut.txt")).toBeNull();
    await delivered();
    expect((await audit("?agentId=a")).map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ["FileRW", "failed"],
    ]);
  });
});

describe("Retry-After: 120", () => {
  it("ends a run at once that has less time left, with the reason", async () => {
    await team([modelAgent("a", "fault/rate-limited-120s", { runSeconds: 60 })]);
    const answer = await chat("a", "hello");
    expect(answer).toMatchObject({ status: "failed", receipt: { reason: "rate_limited" } });
    expect(answer.receipt.error).toContain("429");
    expect(attemptsOf("a")).toBe(1);
  });

  it("L1: parks a run that has the time, and its gate is lent to a colleague's question meanwhile", async () => {
    await team([
      modelAgent("p", "once/rate-limited-120s/parked"),
      agent("a", { rules: [{ when: { step: 0 }, calls: [ask("p", "well?")] }, { say: "{{result}}" }] }),
    ]);
    const accepted = await send("POST", "/api/agents/p/runs", { message: "hello", wait: false });
    const { runId } = z.object({ runId: z.string() }).parse(await accepted.json());
    await eventually(async () => {
      const agents = agentsShape.parse(await get("/api/agents"));
      return agents.some(({ agentId, state }) => agentId === "p" && state === "suspended");
    });
    expect(await chat("a", "ask p")).toMatchObject({ status: "completed", reply: GOOD });
    expect(await get(`/api/runs/${runId}`)).toMatchObject({ run: { state: "started" }, receipt: null });
    expect((await send("POST", `/api/runs/${runId}/cancel`)).status).toBe(200);
    await delivered();
    expect(await get(`/api/runs/${runId}`)).toMatchObject({ receipt: { status: "cancelled", steps: 0 } });
    expect((await messages("?a=a&b=p")).map(({ status }) => status)).toEqual(["delivered", "delivered"]);
    expect(attemptsOf("p")).toBe(2);
  });
});
