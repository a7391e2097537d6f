/** Mail from one agent to another: it goes on with the chain, and nobody else can claim to. */
import { beforeEach, describe, expect, it } from "vitest";
import type { ReplyMail } from "../../core/email/transport.ts";
import { ANN, letter } from "../support/letters.ts";
import { chat, delivered, eventually, messages } from "./support/api.ts";
import { chainOf } from "./support/board.ts";
import { cameBack, handIn, post } from "./support/mail.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

const A = "a@agents.example";
const B = "b@agents.example";
const email = {
  addresses: { [A]: "a", [B]: "b" },
  allowedSenders: [ANN],
  signingKey: { $secret: "TEST_SECRET_A" },
  maxPerThread: 100,
};

/** Told "write <address>" it sends one mail there. */
const writing = {
  rules: [
    {
      when: { user: "/^write (\\S+)/", step: 0 },
      calls: [{ name: "Post", arguments: { to: "{{user.1}}" } }],
    },
    { when: { user: "/^write/" }, say: "written" },
  ],
};

beforeEach(async () => {
  resetWatch();
  post.sent = [];
  post.outcomes = [];
  await team(
    [A, B].map((from) => {
      const agentId = from.slice(0, 1);
      return agent(agentId, { ...writing, tools: { Post: { from } } });
    }),
    { email },
  );
});

async function nextMail(count: number): Promise<ReplyMail> {
  await eventually(async () => post.sent.length === count);
  const mail = post.sent[count - 1];
  if (mail === undefined) throw new Error("Nothing was sent");
  return mail;
}

const rowsOf = async (rootRunId: string) =>
  (await messages("?channel=mail&limit=500"))
    .filter((row) => row.rootRunId === rootRunId)
    .map(({ fromAgentId, toAgentId, direction, status, runId, parentRunId }) => ({
      way: `${fromAgentId}>${toAgentId} ${direction} ${status}`,
      runId,
      parentRunId,
    }));

/** A mail of the one agent, as it comes in for the other. */
async function written(
  agentId: string,
  to: string,
): Promise<{ readonly raw: string; readonly runId: string }> {
  const count = post.sent.length;
  const { runId } = await chat(agentId, `write ${to}`);
  return { raw: await cameBack(await nextMail(count + 1)), runId };
}

const replayed = (raw: string) => /^X-Parley-Chain:(.*(?:\r\n[ \t].*)*)/m.exec(raw)?.[1]?.trim() ?? "";

describe("L4 mail from one agent to another", () => {
  it("goes on with the chain, there and back, and is on record both ways", async () => {
    const { raw, runId } = await written("a", B);
    expect(await handIn(raw, { from: A, to: B })).toBeNull();
    const answer = await nextMail(2);
    expect(answer.to).toBe(A);
    expect(await handIn(await cameBack(answer), { from: B, to: A })).toBeNull();
    await delivered();
    const { runs } = await chainOf(runId);
    const [first, second, third] = runs;
    expect(runs.map(({ agentId, depth, trigger }) => `${agentId} ${depth} ${trigger}`)).toEqual([
      "a 1 chat",
      "b 2 email",
      "a 3 email",
    ]);
    expect([second?.parentRunId, third?.parentRunId]).toEqual([first?.runId, second?.runId]);
    expect(await rowsOf(runId)).toEqual([
      { way: "a>b request delivered", runId, parentRunId: null },
      { way: "b>a response delivered", runId: second?.runId, parentRunId: runId },
    ]);
    // Two that thank each other for their thanks would never stop.
    expect(post.sent).toHaveLength(2);
  });

  it("that comes twice is one run and one row", async () => {
    const { raw, runId } = await written("a", B);
    expect(await handIn(raw, { from: A, to: B })).toBeNull();
    expect(
      await handIn(raw.replace(/^Message-ID:.*$/m, "Message-ID: <new@agents.example>"), { from: A, to: B }),
    ).toBeNull();
    await delivered();
    expect(await rowsOf(runId)).toHaveLength(1);
    expect((await chainOf(runId)).runs).toHaveLength(2);
  });

  it("26: to oneself counts as depth, and ends at the chain's", async () => {
    await team([agent("a", { ...writing, tools: { Post: { from: A } } })], { email, perChain: { depth: 2 } });
    const { raw, runId } = await written("a", A);
    expect(await handIn(raw, { from: A, to: A })).toBeNull();
    const back = await nextMail(2);
    expect(await handIn(await cameBack(back), { from: A, to: A })).toMatch(/^5\.7\.1 /);
    await delivered();
    expect((await chainOf(runId)).runs.map(({ depth }) => depth)).toEqual([1, 2]);
    expect(await rowsOf(runId)).toEqual([]);
  });

  it("L10 over the chain's depth is refused, once on record as denied", async () => {
    await team(
      [A, B].map((from) => agent(from.slice(0, 1), { ...writing, tools: { Post: { from } } })),
      { email, perChain: { depth: 1 } },
    );
    const { raw, runId } = await written("a", B);
    for (let time = 0; time < 2; time += 1)
      expect(await handIn(raw, { from: A, to: B })).toMatch(/^5\.7\.1 /);
    await delivered();
    expect(await rowsOf(runId)).toEqual([{ way: "a>b request denied", runId, parentRunId: null }]);
  });
});

describe("L4 a header that carries a chain", () => {
  it("changes nothing in a person's mail, forged or copied from an agent's", async () => {
    const { raw, runId } = await written("a", B);
    const copied = replayed(raw);
    expect(copied).toContain(".");
    for (const value of [copied, "forged.forged", `${copied}x`]) {
      const count = post.sent.length;
      expect(await handIn(letter({ headers: { "X-Parley-Chain": value } }), { to: B })).toBeNull();
      await nextMail(count + 1);
    }
    await delivered();
    expect(await rowsOf(runId)).toEqual([]);
    expect((await chainOf(runId)).runs).toHaveLength(1);
  });

  it("does not let a mail from our own address in when it is another mail's, or for another agent", async () => {
    const { raw } = await written("a", B);
    const own = { From: A, "X-Parley-Chain": replayed(raw) };
    const again = letter({ headers: own, authenticated: "agents.example" });
    expect(await handIn(again, { from: A, to: A })).toMatch(/^5\.7\.1 /);
    const unsigned = letter({ headers: { From: A }, authenticated: "agents.example" });
    expect(await handIn(unsigned, { from: A, to: B })).toMatch(/^5\.7\.1 /);
    expect(await handIn(letter({ headers: own, authenticated: null }), { from: A, to: B })).toMatch(
      /^5\.7\.1 /,
    );
  });

  it("is on no mail to a person", async () => {
    await handIn(letter(), { to: A });
    expect((await nextMail(1)).headers).toEqual([]);
    await chat("a", `write ${ANN}`);
    expect((await nextMail(2)).headers).toEqual([]);
  });
});

/** More moments than the way of a mail has. */
const MAX_MOMENTS = 40;

it("L2 L3 L4 a mail between agents whose power is cut at any moment is one run in the chain, with one row", async () => {
  let at = 1;
  for (let went = true; went && at < MAX_MOMENTS; at += 1) {
    const to = `b${at}@agents.example`;
    const agents = [agent("a", { ...writing, tools: { Post: { from: A } } }), agent(`b${at}`)];
    await team(agents, { email: { ...email, addresses: { [A]: "a", [to]: `b${at}` } } });
    resetWatch();
    post.sent = [];
    const { raw, runId } = await written("a", to);
    watch.cut = { objectName: `b${at}`, at };
    expect(await handIn(raw, { from: A, to }), `cut at ${at}`).toBeNull();
    await delivered();
    went = watch.cuts > 0;
    resetWatch();
    expect(await handIn(raw, { from: A, to }), `cut at ${at}`).toBeNull();
    await delivered();
    const { runs } = await chainOf(runId);
    expect(
      runs.map(({ agentId, status }) => `${agentId} ${status}`),
      `cut at ${at}`,
    ).toEqual(["a completed", `b${at} completed`]);
    expect(
      (await rowsOf(runId)).map(({ way }) => way),
      `cut at ${at}`,
    ).toEqual([`a>b${at} request delivered`]);
    expect(post.sent.length, `cut at ${at}`).toBeLessThanOrEqual(2);
  }
  expect(at).toBeGreaterThan(6);
}, 240_000);
