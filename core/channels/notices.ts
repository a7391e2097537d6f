/**
 * Brings notices to the instance's channel, and reports to theirs, each at least once: a notice is claimed before the attempt and
 * marked after it, so whoever dies in between leaves it to the next scan. The delivery's id is the notice's Uid.
 */
import type { InstanceConfig } from "../config/instance.ts";
import type { Logger } from "../log.ts";
import { createReader, type Reader } from "../record/reader.ts";
import type { NoticeRow } from "../record/rows.ts";
import { REPORT_KIND } from "../report/notice.ts";
import type { Delivery } from "./channel.ts";
import type { DeliverInput } from "./deliver.ts";
import { noticeMessage } from "./notice-text.ts";
import { NOTICE_LIFE_MS, nextAttempt } from "./retry.ts";

export interface NoticeWorld {
  readonly db: D1Database;
  readonly deliver: (input: DeliverInput) => Promise<Delivery>;
  /** A signal that ends one attempt. */
  readonly attemptSignal: () => AbortSignal;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

const NOTICES_PER_SCAN = 20;
/** What is left goes out with the next scan. */
const SCAN_MS = 40_000;
/** Longer than an attempt lasts: a claim that is older was left by somebody who died. */
const CLAIM_MS = 60_000;
const ERROR_CHARS = 500;

interface Pending extends NoticeRow {
  readonly id: number;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
}

export interface NoticeScan {
  readonly rowsRead: number;
  readonly attempts: number;
}

const NOTHING: NoticeScan = { rowsRead: 0, attempts: 0 };

/** Sends what is due, oldest first among the new ones. Without a channel it reads nothing. Rejects only when D1 does. */
export async function deliverNotices(world: NoticeWorld, instance: InstanceConfig): Promise<NoticeScan> {
  const channel = instance.notices;
  if (channel === undefined) return NOTHING;
  return deliverPending(world, { instance, channel }, (reader) => reader.all<Pending>(PENDING));
}

/** The same for the one report of that Uid, to the report's channel: neither waits for what the other's channel does. */
export async function deliverReport(
  world: NoticeWorld,
  instance: InstanceConfig,
  uid: string,
): Promise<NoticeScan> {
  const channel = instance.report?.channel;
  if (channel === undefined) return NOTHING;
  return deliverPending(world, { instance, channel }, (reader) => reader.all<Pending>(PENDING_REPORT, uid));
}

/** A notice that a newer one stands for is not sent any more. Rejects when D1 does. */
export async function giveUpNotice(db: D1Database, uid: string): Promise<void> {
  await db
    .prepare(
      `UPDATE "Notices" SET "Delivery" = 'expired', "NextAttemptAt" = NULL WHERE "Uid" = ? AND "Delivery" IS NULL`,
    )
    .bind(uid)
    .run();
}

async function deliverPending(
  world: NoticeWorld,
  { instance, channel }: { readonly instance: InstanceConfig; readonly channel: string },
  read: (reader: Reader) => Promise<readonly Pending[]>,
): Promise<NoticeScan> {
  const reader = createReader(world.db);
  const start = world.now();
  let attempts = 0;
  for (const notice of await read(reader)) {
    if (world.now() > start + SCAN_MS) break;
    if (!isDue(notice, world.now())) continue;
    if (hasExpired(notice, world.now())) {
      await mark(world, notice.id, { delivery: "expired", at: null, error: null });
      continue;
    }
    if (!(await claim(world, notice, channel))) continue;
    attempts += 1;
    const delivery = await attempt(world, { instance, channel, notice });
    await settle(world, notice, delivery);
    // A notice of its own may be refused; everything else will befall the others too.
    if (!delivery.ok && delivery.code !== "refused") break;
  }
  return { rowsRead: reader.rowsRead, attempts };
}

const COLUMNS = `"Id" AS id, "Uid" AS uid, "Kind" AS kind, "Text" AS text, "RootRunId" AS rootRunId, "AgentId" AS agentId,
    "OccurredAt" AS occurredAt, coalesce("Attempts", 0) AS attempts, "NextAttemptAt" AS nextAttemptAt`;

/** By the index of what is pending: those without an attempt come first. */
const PENDING = `
  SELECT ${COLUMNS} FROM "Notices" WHERE "Delivery" IS NULL AND "Kind" <> '${REPORT_KIND}'
  ORDER BY "NextAttemptAt", "Id" LIMIT ${NOTICES_PER_SCAN}`;

/** By the unique index of Uids. */
const PENDING_REPORT = `SELECT ${COLUMNS} FROM "Notices" WHERE "Uid" = ? AND "Delivery" IS NULL`;

function isDue({ nextAttemptAt }: Pending, now: number): boolean {
  return nextAttemptAt === null || Date.parse(nextAttemptAt) <= now;
}

/** Such as were written long before there was a channel. */
function hasExpired({ occurredAt }: Pending, now: number): boolean {
  return Date.parse(occurredAt) + NOTICE_LIFE_MS < now;
}

/** Whether this scan, and no other one, makes the next attempt. */
async function claim({ db, now }: NoticeWorld, notice: Pending, channel: string): Promise<boolean> {
  const { results } = await db
    .prepare(
      `UPDATE "Notices" SET "Attempts" = ?, "Channel" = ?, "NextAttemptAt" = ?
       WHERE "Id" = ? AND "Delivery" IS NULL AND coalesce("Attempts", 0) = ? RETURNING "Id"`,
    )
    .bind(notice.attempts + 1, channel, new Date(now() + CLAIM_MS).toISOString(), notice.id, notice.attempts)
    .all();
  return results.length === 1;
}

interface AttemptInput {
  readonly instance: InstanceConfig;
  readonly channel: string;
  readonly notice: Pending;
}

function attempt(world: NoticeWorld, { instance, channel, notice }: AttemptInput): Promise<Delivery> {
  return world.deliver({
    instance,
    channel,
    message: noticeMessage(instance.id, notice),
    deliveryId: notice.uid,
    signal: world.attemptSignal(),
  });
}

async function settle(world: NoticeWorld, notice: Pending, delivery: Delivery): Promise<void> {
  const now = world.now();
  if (delivery.ok) return mark(world, notice.id, { delivery: "delivered", at: now, error: null });
  const error = delivery.reason.slice(0, ERROR_CHARS);
  const { retryAfter } = delivery;
  const occurredAt = Date.parse(notice.occurredAt);
  const next = nextAttempt({ attempts: notice.attempts + 1, retryAfter, occurredAt, now });
  world.log.warn(`The notice ${notice.uid} could not be sent: ${error}`);
  await mark(world, notice.id, { delivery: next === null ? "expired" : null, at: next, error });
}

interface Mark {
  readonly delivery: "delivered" | "expired" | null;
  /** When it was delivered, or when the next attempt is due; epoch milliseconds. */
  readonly at: number | null;
  readonly error: string | null;
}

async function mark({ db }: NoticeWorld, id: number, { delivery, at, error }: Mark): Promise<void> {
  const time = at === null ? null : new Date(at).toISOString();
  await db
    .prepare(
      `UPDATE "Notices" SET "Delivery" = ?, "DeliveredAt" = ?, "NextAttemptAt" = ?, "LastError" = coalesce(?, "LastError")
       WHERE "Id" = ? AND "Delivery" IS NULL`,
    )
    .bind(delivery, delivery === "delivered" ? time : null, delivery === null ? time : null, error, id)
    .run();
}
