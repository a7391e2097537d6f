import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { writeRecord } from "../../core/record/write-record.ts";
import { messageRow } from "../support/record-rows.ts";
import { messages } from "./support/api.ts";
import { agent, team } from "./support/team.ts";
import worker from "./worker.ts";

const DAY_MS = 86_400_000;
const NIGHT = Date.UTC(2026, 5, 15, 3, 0);

async function tick(time: number): Promise<void> {
  const context = createExecutionContext();
  await worker.scheduled(
    createScheduledController({ cron: "* * * * *", scheduledTime: new Date(time) }),
    env,
  );
  await waitOnExecutionContext(context);
}

async function messagesOfAges(days: readonly number[]): Promise<void> {
  const rows = days.map((age) =>
    messageRow(`age${age}`, {
      content: `words of day ${age}`,
      occurredAt: new Date(NIGHT - age * DAY_MS).toISOString(),
    }),
  );
  await writeRecord(env.DB, env.TEXTS, {
    messages: rows,
    audit: [],
    receipts: [],
    notices: [],
    ticks: [],
    approvals: [],
  });
}

it("deletes messages older than the instance keeps them, at night, with their search index", async () => {
  await team([agent("a")], { agentMessageRetentionDays: 30 });
  await messagesOfAges([1, 29, 31, 400]);
  await tick(NIGHT + 12 * 3_600_000);
  expect((await messages()).length, "nothing is deleted by day").toBe(4);
  await tick(NIGHT);
  expect((await messages()).map((message) => message.content)).toEqual(["words of day 29", "words of day 1"]);
  expect((await messages("?q=words")).length).toBe(2);
});

it("keeps everything when the instance says 0", async () => {
  await team([agent("a")], { agentMessageRetentionDays: 0 });
  await messagesOfAges([5_000]);
  await tick(NIGHT);
  expect((await messages()).length).toBe(3);
});
