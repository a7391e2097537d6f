/** Reports from the minute's trigger to a channel, at any time of a clock of their own. */
import { env } from "cloudflare:workers";
import { describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { analyse } from "../../core/analysis/analyse.ts";
import type { Delivery } from "../../core/channels/channel.ts";
import type { DeliverInput } from "../../core/channels/deliver.ts";
import { deliverNotices, deliverReport, type NoticeWorld } from "../../core/channels/notices.ts";
import { instanceSchema } from "../../core/config/instance.ts";
import { createReader } from "../../core/record/reader.ts";
import { NO_ROWS } from "../../core/record/rows.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { reportPeriods } from "../../core/report/due.ts";
import { readReportFigures } from "../../core/report/figures.ts";
import { reportNotice, reportUid } from "../../core/report/notice.ts";
import type { Env } from "../../durable-objects/env.ts";
import { everyMinute } from "../../workers/every-minute.ts";
import { messageRow, messagesOnly, receiptRow } from "../support/record-rows.ts";
import { delivered, eventually, get } from "./support/api.ts";
import { type Cost, countedEnv, NO_COST } from "./support/counted-env.ts";
import { minute, noon, scheduled } from "./support/jobs.ts";
import { team } from "./support/team.ts";

const server = inject("modelServer");
const DAY = 24 * 60;
const ALL_DAYS = "5 12 * * *";

const telegram = (key: string) => ({
  type: "telegram",
  botToken: { $secret: "API_TOKEN" },
  chatId: "100",
  apiBaseUrl: `${server}/telegram/${key}`,
});
const outbound = { allow: [new URL(server).host] };

/** What arrived in the channel of that key. */
async function told(key: string): Promise<string[]> {
  const sent = z.array(z.looseObject({ text: z.string() }));
  return sent.parse(await (await fetch(`${server}/told/${key}`)).json()).map(({ text }) => text);
}

const noticeShape = z.array(
  z.looseObject({ uid: z.string(), kind: z.string(), text: z.string(), delivery: z.string().nullable() }),
);

async function reports() {
  return noticeShape.parse(await get("/api/notices")).filter(({ kind }) => kind === "report");
}

/** An instance with a report, and a first minute, from which on its ticks count. */
async function reporting(key: string, from: number, cron = ALL_DAYS): Promise<void> {
  await withoutReport(from - 1);
  const report = { channel: "board", cron, days: 1 };
  await team([], { channels: { board: telegram(key) }, outbound, report });
  await minute(noon(from));
}

async function withoutReport(at: number): Promise<void> {
  await team([], {});
  await minute(noon(at));
}

const iso = (time: number) => new Date(time).toISOString();

/** A question with its answer, at so many minutes. */
const exchange = (name: string, at: number, [from, to] = ["anna", "ben"]) => [
  messageRow(`ask:${name}:request`, {
    fromAgentId: from,
    toAgentId: to,
    rootRunId: name,
    occurredAt: iso(noon(at)),
  }),
  messageRow(`ask:${name}:response`, {
    fromAgentId: to,
    toAgentId: from,
    rootRunId: name,
    direction: "response",
    occurredAt: iso(noon(at) + 4_000),
  }),
];

async function write(name: string, at: number): Promise<void> {
  const receipt = receiptRow(name, {
    agentId: "anna",
    costMicros: 250_000,
    startedAt: iso(noon(at)),
    finishedAt: iso(noon(at) + 9_000),
  });
  await writeRecord(env.DB, env.TEXTS, { ...messagesOnly(exchange(name, at)), receipts: [receipt] });
}

describe("a report", () => {
  it("L7 is made once for a tick, however many minutes fire at once and again, and is in the list of notices", async () => {
    await write("r1", -60);
    await reporting("once", 0);
    await Promise.all([minute(noon(5)), minute(noon(5)), minute(noon(5))]);
    for (const at of [6, 5, 7]) await minute(noon(at));
    expect(await told("once")).toHaveLength(1);
    expect(await told("once")).toEqual([expect.stringContaining("test: report")]);
    const [report, ...others] = await reports();
    expect(others).toEqual([]);
    expect(report).toMatchObject({ uid: reportUid(noon(5)), delivery: "delivered" });
    expect(report?.text).toContain("Asks: 1 (0). Answered 1 (0)");
    expect(report?.text).toContain("Time to answer, median: 4");
    expect(report?.text).toContain("Cost: 0.25 USD (0.00 USD)");
    expect(report?.text).toContain("- 0.25 USD, runs: 1, begun at anna: ");
  });

  it("L7 after a long time without a minute is one, for the latest tick, and says in a line that nothing was recorded", async () => {
    await reporting("back", 10 * DAY + 60);
    await minute(noon(14 * DAY));
    await minute(noon(14 * DAY + 1));
    expect(await told("back")).toEqual([
      expect.stringContaining("Nothing was recorded from 2021-06-27 12:00 to 2021-06-28 12:00."),
    ]);
    expect((await reports())[0]?.uid).toBe(reportUid(noon(13 * DAY + 5)));
  });

  it("L7 whose minute dies before the hub knows of it is not made a second time", async () => {
    await reporting("killed", 20 * DAY);
    const dying = withoutKeeping(env);
    await expect(everyMinute(dying, noon(20 * DAY + 5))).rejects.toThrow("killed");
    const [first] = await reports();
    await write("r2", 20 * DAY - 30);
    await minute(noon(20 * DAY + 6));
    await minute(noon(20 * DAY + 7));
    expect(await told("killed")).toHaveLength(1);
    const [only, other] = await reports();
    expect(only).toEqual({
      ...first,
      delivery: "delivered",
      channel: "board",
      attempts: 1,
      deliveredAt: only?.deliveredAt,
    });
    expect(other?.uid).toBe(reportUid(noon(13 * DAY + 5)));
  });

  it("L10 that is not due costs an idle minute no statement and no call", async () => {
    await reporting("idle", 30 * DAY, "5 12 15 7 *");
    await minute(noon(30 * DAY + 5));
    expect(await told("idle")).toHaveLength(1);
    const withReport = await idleCost(noon(32 * DAY));
    await withoutReport(32 * DAY + 1);
    expect(withReport).toEqual(await idleCost(noon(32 * DAY + 5)));
    expect(withReport).toMatchObject({ hubCalls: 1, rowsWritten: 0 });
  });
});

async function idleCost(time: number): Promise<Cost> {
  const cost = { ...NO_COST };
  await everyMinute(countedEnv(env, cost), time);
  return cost;
}

/** The bindings for a minute that ends where it would tell the hub. */
function withoutKeeping(real: Env): Env {
  const HUB = new Proxy(real.HUB, {
    get: (hub, key) => {
      const value: unknown = Reflect.get(hub, key);
      if (key !== "get") return typeof value === "function" ? value.bind(hub) : value;
      return (id: DurableObjectId) =>
        new Proxy(hub.get(id), {
          get: (stub, method) =>
            method === "keepReport"
              ? () => Promise.reject(Object.assign(new Error("killed"), { overloaded: true }))
              : Reflect.get(stub, method),
        });
    },
  });
  return { ...real, HUB };
}

describe("on its way", () => {
  let now = noon(40 * DAY);
  let answers: Delivery[] = [];
  const sent: DeliverInput[] = [];
  const world: NoticeWorld = {
    db: env.DB,
    deliver: async (input) => {
      sent.push(input);
      return answers.shift() ?? { ok: true };
    },
    attemptSignal: () => new AbortController().signal,
    now: () => now,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  };
  const channel = { type: "webhook", webhookUrl: { $secret: "HOOK" } };
  const instance = instanceSchema.parse({
    id: "test",
    channels: { team: channel, board: channel },
    notices: "team",
    report: { channel: "board" },
  });

  it("a report goes to its own channel, again and again until it arrives, and notices to theirs do not send it", async () => {
    const notices = [reportNotice(now, "Figures.", now)];
    await writeRecord(env.DB, env.TEXTS, { ...NO_ROWS, notices });
    answers = [1, 2].map(() => ({ ok: false, code: "busy", reason: "Later." }));
    expect(await deliverNotices(world, instance)).toMatchObject({ attempts: 0 });
    for (let tried = 0; tried < 10; tried += 1) {
      await deliverReport(world, instance, reportUid(noon(40 * DAY)));
      now += 60_000;
    }
    expect(sent.map(({ channel: name, deliveryId }) => [name, deliveryId])).toEqual(
      [1, 2, 3].map(() => ["board", reportUid(noon(40 * DAY))]),
    );
    const idle = await deliverReport(world, instance, reportUid(noon(40 * DAY)));
    expect(idle.attempts).toBe(0);
    expect(idle.rowsRead).toBeLessThanOrEqual(1);
  });
});

it("reads no more rows for a report once there are many messages", async () => {
  const from = 50 * DAY;
  const periods = reportPeriods(noon(from + DAY), 1, "UTC");
  const rowsRead = async () => {
    const reader = createReader(env.DB);
    const figures = await readReportFigures(reader, periods, 48);
    return { rows: reader.rowsRead, asked: figures.now.asks.asked };
  };
  const fill = async (first: number, count: number) => {
    const rows = Array.from({ length: count }, (_, index) => exchange(`q${first + index}`, from + 60));
    for (let done = 0; done < count; done += 100)
      await writeRecord(env.DB, env.TEXTS, messagesOnly(rows.slice(done, done + 100).flat()));
    const reader = createReader(env.DB);
    await analyse({ db: env.DB, reader, embed: async () => null }, 100);
  };
  // From here on the links of a finding look at as many rows as they may.
  await fill(0, 1_000);
  const many = await rowsRead();
  await fill(1_000, 500);
  const more = await rowsRead();
  expect([many.asked, more.asked]).toEqual([1_000, 1_500]);
  expect(many.rows).toBeLessThan(3_000);
  expect(more.rows).toBeLessThan(many.rows + 200);
});

it("an agent with AgentCommAnalysis and Notify reports by its schedule: a tick, the figures, a message in the channel", async () => {
  const day = 60 * DAY;
  await write("r3", day - 30);
  const analyst = scheduled("analyst", ALL_DAYS, {
    tools: { AgentCommAnalysis: {}, Notify: { channels: ["board"] } },
    rules: [
      {
        when: { step: 0 },
        calls: [{ name: "AgentCommAnalysis", arguments: { action: "stats", since: "2021-08-01" } }],
      },
      {
        when: { lastTool: "AgentCommAnalysis", result: String.raw`/"messages":\{"messages":(\d+)/` },
        calls: [
          {
            name: "Notify",
            arguments: {
              action: "send",
              channel: "board",
              title: "The week",
              text: "{{result.1}} messages.",
            },
          },
        ],
      },
      { say: "{{result}}" },
    ],
  });
  await team([analyst], { channels: { board: telegram("agent") }, outbound });
  await minute(noon(day));
  await minute(noon(day + 5));
  await minute(noon(day + 5));
  await eventually(async () => (await told("agent")).length > 0);
  await delivered();
  await minute(noon(day + 6));
  await delivered();
  expect(await told("agent")).toEqual([expect.stringMatching(/The week\s+[1-9]\d* messages\./)]);
});
