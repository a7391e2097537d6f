import { Hono } from "hono";
import { z } from "zod";
import { wholeArchivedMessage } from "../../core/archive/whole-chain.ts";
import { getMessage } from "../../core/record/get-message.ts";
import { listAudit } from "../../core/record/list-audit.ts";
import { listMessages } from "../../core/record/list-messages.ts";
import { listNotices } from "../../core/record/list-notices.ts";
import { listPairs } from "../../core/record/list-pairs.ts";
import { AUDIT_OUTCOMES, MESSAGE_CHANNELS, MESSAGE_STATUSES } from "../../core/record/vocabulary.ts";
import type { AppEnv } from "../app-env.ts";
import { checkQuery } from "../body.ts";
import { ApiError, badQuery } from "../errors.ts";
import { readerOf } from "../server-timing.ts";

const word = z.string().max(200).optional();
const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.union([z.enum(words), z.literal("")]).optional();
const limit = z.coerce.number().int().min(1).max(500).optional();

const messageQuery = z.object({
  a: word,
  b: word,
  channel: oneOf(MESSAGE_CHANNELS),
  status: oneOf(MESSAGE_STATUSES),
  since: word,
  until: word,
  q: z.string().optional(),
  before: word,
  after: word,
  around: word,
  limit,
});

const periodQuery = z.object({ since: word, until: word });

const auditQuery = z.object({
  agentId: word,
  tool: word,
  outcome: oneOf(AUDIT_OUTCOMES),
  q: z.string().max(1_000).optional(),
  since: word,
  until: word,
  before: word,
  limit,
});

export const recordRoutes = new Hono<AppEnv>()
  .get("/messages", checkQuery(messageQuery), async (context) => {
    const reader = readerOf(context);
    const result = await listMessages(reader, context.req.valid("query"));
    if (!result.ok) throw badQuery(result.problem);
    return context.json(result.page);
  })
  /** By id or by uid; those in the archive too. */
  .get("/messages/:id", async (context) => {
    const reader = readerOf(context);
    const { TEXTS: texts } = context.env;
    const id = context.req.param("id");
    const message = await getMessage(reader, texts, id);
    if (message !== null) return context.json(message);
    const archived = await wholeArchivedMessage({ reader, texts }, id);
    if (archived === null) throw new ApiError("not_found", "There is no message with that id.");
    return context.json({ ...archived, archived: true });
  })
  .get("/pairs", checkQuery(periodQuery), async (context) => {
    const reader = readerOf(context);
    const result = await listPairs(reader, context.req.valid("query"));
    if (!result.ok) throw badQuery(result.problem);
    return context.json(result.pairs);
  })
  /** Newest first. The cursor for older ones stands in the header `X-Older`. */
  .get("/audit", checkQuery(auditQuery), async (context) => {
    const reader = readerOf(context);
    const result = await listAudit(reader, context.req.valid("query"));
    if (!result.ok) throw badQuery(result.problem);
    if (result.older !== null) context.header("X-Older", result.older);
    return context.json(result.entries);
  })
  .get("/notices", async (context) => {
    const reader = readerOf(context);
    const notices = await listNotices(reader);
    return context.json(notices);
  });
