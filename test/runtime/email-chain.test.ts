/** Mail from one agent to another: it goes on with the chain, and nobody else can claim to. And mail on its way out. */
import { beforeEach, describe, expect, it } from "vitest";
import { emailSchema } from "../../core/config/email.ts";
import { openEmail } from "../../core/email/open-email.ts";
import type { ReplyMail } from "../../core/email/transport.ts";
import { sendOverBinding } from "../../protocols/smtp/binding.ts";
import { composeMail } from "../../protocols/smtp/compose.ts";
import { mailTransport } from "../../workers/email/reply.ts";
import { ANN, letter } from "../support/letters.ts";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { chat, delivered, eventually, messages, send } from "./support/api.ts";
import { chainOf } from "./support/board.ts";
import { cameBack, handIn, post, resetPost } from "./support/mail.ts";
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
  resetPost();
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

const writers = (own: Record<string, unknown> = {}) =>
  [A, B].map((from) => agent(from.slice(0, 1), { ...writing, tools: { Post: { from } }, ...own }));

describe("L10 mail between agents", () => {
  it("of a frozen chain stays with its server until a person has released it", async () => {
    const perChain = { tokens: 1 };
    await team(writers(), { email, perChain });
    const { raw, runId } = await written("a", B);
    expect(await chainOf(runId)).toMatchObject({ frozen: true });
    await expect(() => handIn(raw, { from: A, to: B })).rejects.toThrow(/at the moment/);
    await send("POST", `/api/chains/${runId}/release`);
    expect(await handIn(raw, { from: A, to: B })).toBeNull();
    await delivered();
    expect((await rowsOf(runId)).map(({ way }) => way)).toEqual(["a>b request delivered"]);
  });

  it("counts the run that writes it, also when the mail is there before that goes on", async () => {
    await team(writers(), { email, perChain: { runs: 1 } });
    let refused: string | null = null;
    post.onItsWay = async (mail) => {
      refused = await handIn(await cameBack(mail), { from: A, to: B });
    };
    const { runId } = await written("a", B);
    expect(refused).toMatch(/^5\.7\.1 /);
    expect((await chainOf(runId)).runs.map(({ agentId }) => agentId)).toEqual(["a"]);
  });
});

describe("L6 mail to an agent", () => {
  it("is not written by one whose colleague that is not", async () => {
    await team(writers({ colleagues: [] }), { email });
    await chat("a", `write ${B}`);
    expect(post.sent).toEqual([]);
    await chat("a", `write ${ANN}`);
    await chat("a", `write ${A}`);
    expect(post.sent.map(({ to }) => to)).toEqual([ANN, A]);
  });

  it("is not taken from one that does not work here any more", async () => {
    const { raw } = await written("a", B);
    await team([agent("b")], { email });
    expect(await handIn(raw, { from: A, to: B })).toMatch(/^5\.7\.1 /);
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

describe("an answer", () => {
  it.each([
    ["has sent enough for now", { code: "E_RATE_LIMIT_EXCEEDED" }, "busy"],
    ["has trouble of its own", { code: "E_INTERNAL_SERVER_ERROR" }, "busy"],
    ["does not send there", { code: "E_RECIPIENT_NOT_ALLOWED" }, "refused"],
    ["breaks off", {}, "unknown"],
  ])("over a binding that %s is not lost, and not sent twice", async (_name, error, code) => {
    const send = async () => {
      throw Object.assign(new Error("It was not taken"), error);
    };
    const opened = openEmail(emailSchema.parse(email), TEST_SECRETS);
    if (!opened.ok) throw new Error(opened.reason);
    await handIn(letter(), { to: A });
    const mail = await nextMail(1);
    const { signal } = new AbortController();
    const outcome = await mailTransport({ EMAIL: { send } })(opened.email, mail, signal);
    expect(outcome).toMatchObject({ ok: false, code });
  });

  it("over the platform's binding is known by the id that the platform gives it", async () => {
    const binding: SendEmail = { send: async () => ({ messageId: "given-by-the-platform@agents.example" }) };
    const composed = await composeMail({
      from: { name: "", address: A },
      to: [{ name: "", address: ANN }],
      subject: "Hello",
      text: "Hello.",
      date: new Date(0),
    });
    if (!composed.ok) throw new Error(composed.reason);
    const sent = await sendOverBinding(binding, composed.mail, { signal: new AbortController().signal });
    expect(sent).toMatchObject({ ok: true, messageId: "<given-by-the-platform@agents.example>" });
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
