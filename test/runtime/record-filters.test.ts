import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { MESSAGE_CHANNELS, MESSAGE_STATUSES } from "../../core/record/vocabulary.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { at, messageRow, messagesOnly } from "../support/record-rows.ts";
import { get, messageShape } from "./support/api.ts";

/** Filters, search and cursors against one plain statement that reads every row. */

const AGENTS = ["anna", "bert", "carl", "@human"];
const WORDS = ["budget", "frist", "Rechnung", "Köln", "straße", "ok", "7"];
const ROWS = 600;
const MINUTE = 60_000;
/** Several rows share an instant. */
const SPAN = ROWS / 3;

const pageShape = z.object({
  messages: z.array(messageShape),
  older: z.string().nullable(),
  newer: z.string().nullable(),
  partial: z.boolean(),
});

const row = fc.record({
  ends: fc.shuffledSubarray(AGENTS, { minLength: 2, maxLength: 2 }),
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
  channel: fc.constantFrom(...MESSAGE_CHANNELS),
  status: fc.constantFrom(...MESSAGE_STATUSES),
  minute: fc.nat(SPAN),
});

beforeAll(async () => {
  const [made = []] = fc.sample(fc.array(row, { minLength: ROWS, maxLength: ROWS }), 1);
  const rows = made.map(
    ({ ends: [fromAgentId = "", toAgentId = ""], words, channel, status, minute }, index) =>
      messageRow(`row-${index}`, {
        fromAgentId,
        toAgentId,
        channel,
        status,
        content: words.join(" "),
        occurredAt: at(minute * MINUTE),
      }),
  );
  for (let first = 0; first < rows.length; first += 50)
    await writeRecord(env.DB, env.TEXTS, messagesOnly(rows.slice(first, first + 50)));
});

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const filters = fc.record({
  ends: fc.shuffledSubarray(AGENTS, { maxLength: 2 }),
  channel: maybe(fc.constantFrom(...MESSAGE_CHANNELS)),
  status: maybe(fc.constantFrom(...MESSAGE_STATUSES)),
  since: maybe(fc.nat(SPAN)),
  until: maybe(fc.nat(SPAN)),
  words: maybe(fc.shuffledSubarray(WORDS, { minLength: 1, maxLength: 2 })),
  limit: fc.integer({ min: 7, max: 200 }),
});
type Filters = typeof filters extends fc.Arbitrary<infer T> ? T : never;

function queryOf({ ends: [a = "", b = ""], since, until, words, ...rest }: Filters) {
  return {
    a,
    b,
    channel: rest.channel ?? "",
    status: rest.status ?? "",
    since: since === undefined ? "" : at(since * MINUTE),
    until: until === undefined ? "" : at(until * MINUTE),
    q: words?.join(" ") ?? "",
    limit: String(rest.limit),
  };
}

/** No index, no paging, no search index: LIKE over folded words. */
async function expectedOf({
  ends: [a, b],
  since,
  until,
  words,
  channel,
  status,
}: Filters): Promise<string[]> {
  const folded = `replace(lower(replace("Content", 'ö', 'o')), 'ß', 'ss')`;
  const conditions: [string, ...(string | number)[]][] = [];
  if (a !== undefined && b !== undefined)
    conditions.push([
      `(("FromAgentId" = ? AND "ToAgentId" = ?) OR ("FromAgentId" = ? AND "ToAgentId" = ?))`,
      a,
      b,
      b,
      a,
    ]);
  else if (a !== undefined) conditions.push([`("FromAgentId" = ? OR "ToAgentId" = ?)`, a, a]);
  if (channel !== undefined) conditions.push([`"Channel" = ?`, channel]);
  if (status !== undefined) conditions.push([`"Status" = ?`, status]);
  if (since !== undefined) conditions.push([`"OccurredAt" >= ?`, at(since * MINUTE)]);
  if (until !== undefined) conditions.push([`"OccurredAt" <= ?`, at(until * MINUTE)]);
  for (const word of words ?? [])
    conditions.push([`${folded} LIKE ?`, `%${word.toLowerCase().replace("ö", "o").replace("ß", "ss")}%`]);
  const where = ["TRUE", ...conditions.map(([sql]) => sql)].join(" AND ");
  const { results } = await env.DB.prepare(
    `SELECT "Uid" AS uid FROM "AgentMessages" WHERE ${where} ORDER BY "OccurredAt", "Id"`,
  )
    .bind(...conditions.flatMap(([, ...values]) => values))
    .all<{ uid: string }>();
  return results.map(({ uid }) => uid);
}

const pageOf = async (query: Readonly<Record<string, string>>) =>
  pageShape.parse(await get(`/api/messages?${new URLSearchParams(query)}`));
const uidsOf = (page: z.infer<typeof pageShape>) => page.messages.map(({ uid }) => uid);

async function walkBack(query: Readonly<Record<string, string>>): Promise<string[]> {
  const uids: string[] = [];
  let page = await pageOf(query);
  for (;;) {
    uids.unshift(...uidsOf(page));
    if (page.older === null) return uids;
    page = await pageOf({ ...query, before: page.older });
  }
}

async function walkBothWays(query: Readonly<Record<string, string>>, around: string): Promise<string[]> {
  const middle = await pageOf({ ...query, around });
  const uids = uidsOf(middle);
  for (let { older } = middle; older !== null; ) {
    const page = await pageOf({ ...query, before: older });
    uids.unshift(...uidsOf(page));
    older = page.older;
  }
  for (let { newer } = middle; newer !== null; ) {
    const page = await pageOf({ ...query, after: newer });
    uids.push(...uidsOf(page));
    newer = page.newer;
  }
  return uids;
}

describe("filters, search and cursors together", () => {
  it("give exactly the rows of a plain statement, walked from the newest to the oldest", async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (chosen) => {
        expect(await walkBack(queryOf(chosen))).toEqual(await expectedOf(chosen));
      }),
      { numRuns: 120 },
    );
  });

  it("give exactly these from any message and any moment in both directions", async () => {
    const start = fc.oneof(
      fc.nat(ROWS - 1).map((index) => `row-${index}`),
      fc.nat(SPAN).map((minute) => at(minute * MINUTE)),
    );
    await fc.assert(
      fc.asyncProperty(filters, start, async (chosen, around) => {
        expect(await walkBothWays(queryOf(chosen), around)).toEqual(await expectedOf(chosen));
      }),
      { numRuns: 80 },
    );
  });
});
