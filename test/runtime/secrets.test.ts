import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { TEXT_COLUMNS } from "../../core/record/columns.ts";
import { allBaits, baitOf, credentialBaits, ENCODERS, leaksIn } from "../support/leaks.ts";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { audit, chat, delivered, messages, request, send, TOKEN } from "./support/api.ts";
import {
  answeredTexts,
  capturedLog,
  leaks,
  modelRequests,
  recordTexts,
  storedTexts,
} from "./support/exposure.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

const { TEST_SECRET_A, TEST_SECRET_B, TEST_SECRET_C } = TEST_SECRETS;
const BAITS = [...allBaits(), ...credentialBaits()];
const EVERYTHING = BAITS.map((bait) => bait.text).join("\n\n");
/** Wherever a text of this length is cut, a secret stands there. */
const FLOOD = `${TEST_SECRET_A} ${TEST_SECRET_B} ${TEST_SECRET_C} `.repeat(300);

/** For scenarios: the same text once it is played, but nothing of a secret in the config. */
const played = (text: string) => (text.match(/.{1,4}/gsu) ?? []).join("{{repeat:.:0}}");
const file = (args: Readonly<Record<string, string>>) => ({ name: "FileRW", arguments: args });

const office = () =>
  team([
    agent("caller", {
      rules: [
        {
          when: { user: "call", step: 0 },
          say: played(EVERYTHING),
          reasoning: played(EVERYTHING),
          calls: [
            file({ action: "write", path: "all.txt", content: played(EVERYTHING) }),
            file({ action: "write", path: "flood.txt", content: played(FLOOD) }),
            file({ action: "read", path: played(`${TEST_SECRET_C}.txt`) }),
            { name: played(TEST_SECRET_C), arguments: {} },
            { name: "FileRW", arguments: `{"action": "write", "content": "${played(EVERYTHING)}` },
            { name: "FileRW", arguments: { [TEST_SECRET_C.slice(0, 4)]: played(EVERYTHING) } },
          ],
        },
        {
          when: { user: "call", step: 1 },
          calls: [
            ask("helper", played(EVERYTHING)),
            ask("helper", played(FLOOD)),
            ask("failing", "why?"),
            ask("provider", "why?"),
            ask(played(TEST_SECRET_C), "who?"),
            ask(
              played(
                `${TEST_SECRET_C.slice(0, 7)}|${TEST_SECRET_C.slice(7, 14)}\u200b${TEST_SECRET_C.slice(14)}`,
              ),
              "who?",
            ),
          ],
        },
        {
          when: { user: "call", step: 2 },
          calls: [file({ action: "read", path: "notes.txt" }), file({ action: "list", path: "" })],
        },
        { when: { user: "call" }, say: "{{results}}" },
      ],
    }),
    agent("helper", {
      rules: [{ say: played(`${EVERYTHING}\n${FLOOD}`), stream: { chars: 3, delayMs: 0 } }],
    }),
    agent("failing", {
      rules: [{ say: played(TEST_SECRET_A), fail: { code: "auth", message: played(FLOOD) } }],
    }),
    agent("flaky", {
      model: { provider: "openai", name: "once/error-500/secrets", baseUrl: inject("modelServer") },
    }),
    agent("provider", { model: { provider: "openai", name: "leak/470", baseUrl: inject("modelServer") } }),
  ]);

const log = capturedLog();

beforeAll(async () => {
  await office();
  const prefix = "test/agents/caller";
  await env.FILES.put(`${prefix}/notes.txt`, EVERYTHING);
  for (const name of [TEST_SECRET_B, TEST_SECRET_C, encodeURIComponent(TEST_SECRET_A)])
    await env.FILES.put(`${prefix}/${name}.txt`, "x");
});

beforeEach(resetWatch);

describe("L5: no secret is stored, shown or sent to a model", () => {
  it("L5: whichever way it comes in: message, model, tool, file, error or colleague", async () => {
    const live = await request("/api/live");
    const runs = [
      await chat("caller", `call ${EVERYTHING}`),
      await chat("helper", FLOOD),
      await chat("failing", "please"),
      await chat("provider", "please"),
      await chat("flaky", `${EVERYTHING} ${FLOOD}`),
    ];
    await send("POST", "/api/agents/helper/runs", { message: EVERYTHING });
    await delivered();
    const streams = [await streamed("helper", `${FLOOD} ${EVERYTHING}`), await streamed("caller", "call")];
    await delivered();
    const liveText = await readUntil(live, streams.at(-1)?.runId ?? "");
    const paths = ["caller", "helper", "failing", "provider"].map((id) => `/api/agents/${id}/conversation`);
    paths.push(...runs.flatMap(({ runId }) => [`/api/runs/${runId}`, `/api/chains/${runId}`]));
    paths.push("/api/messages", "/api/audit", "/api/pairs", "/api/notices", "/api/agents");
    const exposures = [
      ...(await storedTexts()),
      ...(await answeredTexts(paths)),
      ...modelRequests(),
      ...log.map((text) => ({ where: "log", text })),
      ...runs.map((run) => ({ where: "answer", text: JSON.stringify(run) })),
      ...streams.flatMap(({ raw, joined }) => [raw, joined]).map((text) => ({ where: "stream", text })),
      { where: "live", text: liveText },
    ];
    expect(leaks(exposures, BAITS)).toEqual([]);
    expect(log.filter((line) => line.includes("Model attempt 1"))).not.toEqual([]);
    // The same texts did come by, masked.
    for (const where of ["D1 AgentMessages.Content", "D1 AuditLog.Arguments", "D1 RunReceipts.Error"])
      expect(exposures.filter((item) => item.where === where && item.text.includes("[secret"))).not.toEqual(
        [],
      );
    expect(watch.requests.filter(({ text }) => text.includes("[secret:TEST_SECRET_B]"))).not.toEqual([]);
    expect(streams.every(({ joined }) => joined.includes("[secret:TEST_SECRET_B]"))).toBe(true);
  });

  it("L5: the search for leaks finds each secret in a text that was not masked", () => {
    for (const bait of BAITS) {
      expect(leaksIn(`x ${bait.text} x`, [bait]).length).toBe(new Set(bait.needles).size);
      expect(leaksIn(JSON.stringify({ a: JSON.stringify(bait.text) }), [bait])).not.toEqual([]);
    }
  });

  it("L5: property: no text column of the record has a secret, spelled in up to three ways at once", async () => {
    await team([
      agent("a", { rules: [{ when: { step: 0 }, calls: [ask("b", "{{user}}")] }, { say: "{{result}}" }] }),
      agent("b"),
    ]);
    const padding = fc.string({ unit: "grapheme", maxLength: 12 });
    const plan = fc.record({
      secret: fc.constantFrom(...Object.values(TEST_SECRETS)),
      encoders: fc.array(fc.constantFrom(...Object.values(ENCODERS)), { maxLength: 3 }),
      before: padding,
      after: padding,
    });
    const baits = fc.sample(plan, 60).map(baitOf);
    for (const [n, bait] of baits.entries()) await chat("a", `${n}: ${bait.text}`);
    await delivered();
    expect(leaks(await recordTexts(), baits)).toEqual([]);
    expect(Object.keys(TEXT_COLUMNS)).toEqual(
      expect.arrayContaining(["AgentMessages", "AuditLog", "RunReceipts", "Notices"]),
    );
  });
});

describe("L5: a file that is read in pages", () => {
  const PAGE = 16_000;
  const read = (rest: Readonly<Record<string, number>>) => ({
    name: "FileRW",
    arguments: { action: "read", path: "long.txt", ...rest },
  });

  it("L5: shows a model no piece of a secret that stands across a page's border", async () => {
    const calls = [{}, { offset: PAGE }, ...[3, 8, 13].map((n) => ({ offset: PAGE - n, limit: 6 }))].map(
      read,
    );
    await team([agent("pager", { rules: [{ when: { step: 0 }, calls }, { say: "{{results}}" }] })]);
    await env.FILES.put("test/agents/pager/long.txt", `${"#".repeat(PAGE - 10)}${TEST_SECRET_A}#`);
    // The rows of the random spellings above may hold one that is spelled four times over.
    const before = new Set((await storedTexts()).map(({ text }) => text));
    const answer = await chat("pager", "read it");
    await delivered();
    expect(answer.reply).toContain("[secret:T");
    const stored = (await storedTexts()).filter(({ text }) => !before.has(text));
    const exposures = [...stored, ...modelRequests(), { where: "answer", text: answer.reply }];
    const pieces = Array.from({ length: TEST_SECRET_A.length - 4 }, (_, at) =>
      TEST_SECRET_A.slice(at, at + 5),
    );
    expect(leaks(exposures, [{ text: TEST_SECRET_A, needles: pieces }])).toEqual([]);
  });

  it("L5: is masked by the list of plain variables that is in force", async () => {
    const rules = [{ when: { step: 0 }, calls: [read({})] }, { say: "{{result}}" }];
    await env.FILES.put("test/agents/plain/long.txt", `It is ${TEST_SECRET_C}.`);
    await team([agent("plain", { rules })], { plainVars: ["TEST_SECRET_C"] });
    expect((await chat("plain", "read it")).reply).toContain(TEST_SECRET_C);
    await team([agent("plain", { rules })]);
    const masked = (await chat("plain", "read it")).reply;
    expect([masked.includes(TEST_SECRET_C), masked.includes("[secret:TEST_SECRET_C]")]).toEqual([
      false,
      true,
    ]);
  });
});

describe("L5: what the config says", () => {
  it("L5: reaches a model masked, in the agent's own prompt and in its list of colleagues", async () => {
    const spoken = `Our key is ${TEST_SECRET_A} or ${TEST_SECRET_C}.`;
    await team([agent("clerk", { systemPrompt: spoken }), agent("desk", { description: spoken })]);
    await chat("clerk", "hello");
    expect(leaks(modelRequests(), BAITS)).toEqual([]);
    expect(watch.requests[0]?.text.match(/\[secret:TEST_SECRET_C\]/g)).toHaveLength(2);
  });
});

describe("L5: a mask is no value", () => {
  it.each([
    ["[secret]", '"[secret]"'],
    ["[secret:TEST_SECRET_A]", '"[secret:TEST_SECRET_A]"'],
    ["escaped", '"\\u005bsecret\\u005d"'],
    ["escaped in part", '"key=[\\u0073ecret]"'],
  ])("L5: refuses a tool call whose arguments hold one: %s", async (_name, content) => {
    const call = { name: "FileRW", arguments: `{"action":"write","path":"mask.txt","content":${content}}` };
    await team([agent("a", { rules: [{ when: { step: 0 }, calls: [call] }, { say: "{{result}}" }] })]);
    const answer = await chat("a", "write it");
    expect(answer.reply).toContain("masked secret");
    await delivered();
    const entries = (await audit("?agentId=a&tool=FileRW")).filter(({ runId }) => runId === answer.runId);
    expect(entries).toMatchObject([{ outcome: "failed" }]);
    expect(await env.FILES.head("test/agents/a/mask.txt")).toBeNull();
  });

  it("L5: refuses it in the name of an argument too", async () => {
    const call = { name: "FileRW", arguments: { action: "list", path: "", "[secret]": "x" } };
    await team([agent("a", { rules: [{ when: { step: 0 }, calls: [call] }, { say: "{{result}}" }] })]);
    expect((await chat("a", "list them")).reply).toContain("masked secret");
  });

  it("L5: lets an ask mention one", async () => {
    await team([
      agent("a", {
        rules: [{ when: { step: 0 }, calls: [ask("b", "Is [secret:X] yours?")] }, { say: "{{result}}" }],
      }),
      agent("b"),
    ]);
    const answer = await chat("a", "ask");
    expect(answer.reply).toContain("b heard");
    await delivered();
    const rows = (await messages("?a=a&b=b")).filter(({ rootRunId }) => rootRunId === answer.runId);
    expect(rows.map(({ content, status }) => [content.includes("[secret:X]"), status])).toEqual([
      [true, "delivered"],
      [true, "delivered"],
    ]);
  });
});

/** A chat as a stream: as it came, and its pieces of text put together again. */
async function streamed(agentId: string, message: string) {
  const response = await request(`/api/agents/${agentId}/chat`, {
    method: "POST",
    headers: { Authorization: `Bearer ${TOKEN}`, Accept: "text/event-stream" },
    body: JSON.stringify({ message }),
  });
  const raw = await response.text();
  const deltas = [...raw.matchAll(/^event: delta\ndata: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
  const runId = /"runId":"([^"]+)"/.exec(raw)?.[1] ?? "";
  return { raw, joined: deltas.map(({ text }) => String(text)).join(""), runId };
}

/** The live feed's text up to that run's end. */
async function readUntil(response: Response, runId: string): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) return text;
    text += piece.value;
    const events = text.split("\n\n");
    if (events.some((event) => event.includes(runId) && event.includes('"state":"ended"'))) break;
  }
  await reader?.cancel();
  return text;
}

describe("L5: the place where an old file is read on", () => {
  const source = "5ec".padStart(32, "0");
  const batch = (number: number, after: string | null, cursor: string) => ({
    source,
    after,
    cursor,
    columns: ["FromAgentId", "ToAgentId", "Content", "OccurredAt"],
    rows: [{ key: String(number), cells: ["a", "b", `heron ${number}`, "2025-03-01T10:00:01Z"] }],
  });
  const take = (body: unknown) => send("POST", "/api/import/AgentMessages", body);
  const progress = async () => JSON.parse(await (await request(`/api/import?source=${source}`)).text());

  it("is not stored when it is a secret, and the batches after it count all the same", async () => {
    const [safe, secret, later] = ['["safe"]', JSON.stringify([TEST_SECRET_A]), `[${TEST_SECRET_A}2]`];
    for (const sent of [batch(1, null, safe), batch(2, safe, secret), batch(3, secret, later)])
      expect((await take(sent)).status).toBe(200);
    const kept = { cursor: safe, read: 3, written: 3 };
    expect(await progress()).toMatchObject({ tables: { AgentMessages: kept } });
    const stored = (await (await env.TEXTS.get(`imports/${source}/AgentMessages.json`))?.text()) ?? "";
    expect(stored).toContain("safe");
    expect(stored).not.toContain(JSON.stringify(TEST_SECRET_A).slice(1, -1));
    await take(batch(4, later, "[4]"));
    expect(await progress()).toMatchObject({ tables: { AgentMessages: { cursor: "[4]", read: 4 } } });
  });

  it("is refused when it, or a row's key, is longer than any key", async () => {
    const long = "k".repeat(2_001);
    const keyed = { ...batch(5, null, "[5]"), rows: [{ key: long, cells: null }] };
    for (const wrong of [batch(5, null, long), batch(5, long, "[5]"), keyed])
      expect((await take(wrong)).status).toBe(400);
  });
});
