/** Notices on their way to a channel: D1 as it is, a channel that does what a test says. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Delivery } from "../../core/channels/channel.ts";
import type { DeliverInput } from "../../core/channels/deliver.ts";
import { deliverNotices, type NoticeWorld } from "../../core/channels/notices.ts";
import { instanceSchema } from "../../core/config/instance.ts";
import type { NoticeRow } from "../../core/record/rows.ts";
import { NO_ROWS } from "../../core/record/rows.ts";
import { writeRecord } from "../../core/record/write-record.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 5, 1, 12);

const instance = instanceSchema.parse({
  id: "test",
  channels: { team: { type: "webhook", webhookUrl: { $secret: "HOOK" } } },
  notices: "team",
});

const OK: Delivery = { ok: true };
const busy = (retryAfter?: number): Delivery => ({
  ok: false,
  code: "busy",
  reason: "The channel's server answered 503.",
  ...(retryAfter === undefined ? {} : { retryAfter }),
});
const REFUSED: Delivery = { ok: false, code: "refused", reason: "No." };

let now = START;
let sent: DeliverInput[] = [];
let answers: (Delivery | Promise<Delivery>)[] = [];

beforeEach(async () => {
  now = START;
  sent = [];
  answers = [];
  await env.DB.prepare(`DELETE FROM "Notices"`).run();
});

const world: NoticeWorld = {
  db: env.DB,
  deliver: async (input) => {
    sent.push(input);
    return answers.shift() ?? OK;
  },
  attemptSignal: () => new AbortController().signal,
  now: () => now,
  log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
};

function notice(uid: string, changes: Partial<NoticeRow> = {}): NoticeRow {
  const occurredAt = new Date(now).toISOString();
  return {
    uid,
    kind: "human_task",
    text: `Text of ${uid}.`,
    rootRunId: null,
    agentId: null,
    occurredAt,
    ...changes,
  };
}

async function write(...notices: NoticeRow[]) {
  await writeRecord(env.DB, env.TEXTS, { ...NO_ROWS, notices });
}

const shape = z.array(
  z.object({
    uid: z.string(),
    delivery: z.string().nullable(),
    channel: z.string().nullable(),
    attempts: z.number().nullable(),
    deliveredAt: z.string().nullable(),
    nextAttemptAt: z.string().nullable(),
    lastError: z.string().nullable(),
  }),
);

async function stored() {
  const { results } = await env.DB.prepare(
    `SELECT "Uid" AS uid, "Delivery" AS delivery, "Channel" AS channel, "Attempts" AS attempts,
       "DeliveredAt" AS deliveredAt, "NextAttemptAt" AS nextAttemptAt, "LastError" AS lastError
     FROM "Notices" ORDER BY "Id"`,
  ).all();
  return shape.parse(results);
}

const scan = () => deliverNotices(world, instance);
const ids = () => sent.map(({ deliveryId }) => deliveryId);

describe("a notice", () => {
  it("is delivered once, by its own id, and that is written down", async () => {
    await write(notice("n:1", { rootRunId: "r1" }));
    await scan();
    await scan();
    expect(sent).toMatchObject([
      {
        channel: "team",
        deliveryId: "n:1",
        message: { title: "test: human task", text: "Text of n:1.\nChain: r1" },
      },
    ]);
    expect(await stored()).toEqual([
      {
        uid: "n:1",
        delivery: "delivered",
        channel: "team",
        attempts: 1,
        deliveredAt: new Date(START).toISOString(),
        nextAttemptAt: null,
        lastError: null,
      },
    ]);
  });

  it("goes out in the order in which it came up", async () => {
    await write(notice("a"), notice("b"), notice("c"));
    await scan();
    expect(ids()).toEqual(["a", "b", "c"]);
  });

  it("is tried again with growing waits while the channel fails, and then arrives", async () => {
    await write(notice("n"));
    answers = [busy(), busy(), busy()];
    const tried: number[] = [];
    for (let minute = 0; minute < 30; minute += 1) {
      const before = sent.length;
      await scan();
      if (sent.length > before) tried.push(minute);
      now += MINUTE;
    }
    expect(tried).toEqual([0, 1, 3, 7]);
    expect(await stored()).toMatchObject([
      { delivery: "delivered", attempts: 4, lastError: "The channel's server answered 503." },
    ]);
  });

  it("waits as long as the channel asks for", async () => {
    await write(notice("n"));
    answers = [busy(600)];
    await scan();
    now += 9 * MINUTE;
    await scan();
    expect(sent).toHaveLength(1);
    now += MINUTE;
    await scan();
    expect(sent).toHaveLength(2);
  });

  it("is given up after a day, and says why", async () => {
    await write(notice("n"));
    answers = Array.from({ length: 100 }, () => busy());
    for (let minute = 0; minute < 26 * 60; minute += 10) {
      await scan();
      now += 10 * MINUTE;
    }
    expect(await stored()).toMatchObject([
      {
        delivery: "expired",
        deliveredAt: null,
        nextAttemptAt: null,
        lastError: "The channel's server answered 503.",
      },
    ]);
    const attempts = sent.length;
    expect(attempts).toBeLessThan(40);
    now += HOUR;
    await scan();
    expect(sent).toHaveLength(attempts);
  });

  it("that is older than a day when a channel is set up is not told any more", async () => {
    await write(notice("old", { occurredAt: new Date(START - 25 * HOUR).toISOString() }), notice("new"));
    await scan();
    expect(ids()).toEqual(["new"]);
    expect(await stored()).toMatchObject([{ delivery: "expired" }, { delivery: "delivered" }]);
  });

  it("does not quote what an agent said", async () => {
    const text = "w@t is not configured any more and could not be told: Result:\nthe agent's own words";
    await write(notice("n", { kind: "task_unheard", text }));
    await scan();
    expect(JSON.stringify(sent[0]?.message)).not.toContain("own words");
  });
});

describe("the others", () => {
  it("wait while the channel is down, so that it is tried once a scan", async () => {
    await write(notice("a"), notice("b"));
    answers = [busy()];
    await scan();
    expect(ids()).toEqual(["a"]);
    await scan();
    expect(ids()).toEqual(["a", "b"]);
  });

  it("do not wait for one that is refused", async () => {
    await write(notice("a"), notice("b"));
    answers = [REFUSED];
    await scan();
    expect(ids()).toEqual(["a", "b"]);
    expect(await stored()).toMatchObject([{ delivery: null }, { delivery: "delivered" }]);
  });

  it("are taken in bounded batches", async () => {
    await write(...Array.from({ length: 50 }, (_, at) => notice(`n${at}`)));
    await scan();
    expect(sent).toHaveLength(20);
    await scan();
    await scan();
    expect(new Set(ids()).size).toBe(50);
    expect(sent).toHaveLength(50);
  });

  it("are left to the next scan when a slow channel has used up the time", async () => {
    await write(notice("a"), notice("b"), notice("c"));
    const slow: NoticeWorld = {
      ...world,
      deliver: (input) => {
        now += 25_000;
        return world.deliver(input);
      },
    };
    await deliverNotices(slow, instance);
    expect(ids()).toEqual(["a", "b"]);
  });
});

describe("two scans at once", () => {
  it("send each notice once", async () => {
    await write(notice("a"), notice("b"), notice("c"));
    await Promise.all([scan(), scan(), scan()]);
    expect(ids().sort()).toEqual(["a", "b", "c"]);
  });

  it("and one that died in the middle: its notice is sent again under the same id", async () => {
    await write(notice("n"));
    const held = Promise.withResolvers<Delivery>();
    answers = [held.promise];
    const dying = scan();
    await expect.poll(() => sent.length).toBe(1);
    await scan();
    expect(sent).toHaveLength(1);
    now += 2 * MINUTE;
    await scan();
    expect(ids()).toEqual(["n", "n"]);
    held.resolve(busy());
    await dying;
    expect(await stored()).toMatchObject([{ delivery: "delivered" }]);
  });
});

describe("an idle minute", () => {
  it("reads a row at most, however many notices there are", async () => {
    await write(...Array.from({ length: 20 }, (_, at) => notice(`n${at}`)));
    await scan();
    const idle = await scan();
    expect(idle.attempts).toBe(0);
    expect(idle.rowsRead).toBeLessThanOrEqual(1);
  });

  it("and without a channel nothing is asked of D1 at all", async () => {
    await write(notice("n"));
    const without = instanceSchema.parse({ id: "test" });
    expect(await deliverNotices(world, without)).toEqual({ rowsRead: 0, attempts: 0 });
    expect(await stored()).toMatchObject([{ delivery: null, attempts: null }]);
  });
});
