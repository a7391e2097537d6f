/**
 * An agent's answers to the mail that it has taken. Each goes out when its run is over, at most once: an attempt is
 * written down before it is made, and one of which nobody knows what became of it is not made again; a person is told.
 */

import { endedResult } from "../agent/agent.ts";
import { nextAttempt } from "../channels/retry.ts";
import type { World } from "../engine/world.ts";
import { agentIdOf } from "../engine/world.ts";
import { putOutbox } from "../journal/outbox.ts";
import { findRun } from "../journal/runs.ts";
import { describeError } from "../log.ts";
import type { NoticeRow } from "../record/rows.ts";
import { composeReply, isErased } from "./compose-reply.ts";
import {
  createRepliesSchema,
  dueReplies,
  markSending,
  nextReplyAt,
  planReply,
  type Reply,
  readReply,
  type Settled,
  settleReply,
  unplannedReplies,
} from "./replies.ts";
import { type MailDelivery, type MailTaken, takeMail } from "./take-mail.ts";
import { createTakenMailSchema } from "./taken-mail.ts";
import { replyText } from "./texts.ts";
import type { ReplyOutcome } from "./transport.ts";

/** Attempts under way; a server that was away for a day is not met by all that has waited for it. */
const AT_ONCE = 4;

export class AgentMail {
  readonly #world: World;
  readonly #atWork = new Map<string, Promise<void>>();
  readonly #followed = new Set<string>();
  /** Whether what the last restart has cut short is taken up again. */
  #recovered = false;

  constructor(world: World) {
    this.#world = world;
    createTakenMailSchema(world.db);
    createRepliesSchema(world.db);
  }

  /** When the first of the attempts under way is over; null when none is. */
  get nextEnd(): Promise<void> | null {
    return this.#atWork.size === 0 ? null : Promise.race(this.#atWork.values());
  }

  /** Epoch milliseconds of the next attempt; 0 when none is planned. */
  get retryAt(): number {
    return nextReplyAt(this.#world.db) ?? 0;
  }

  /** Durable once it returns. Rejects when the chain of another agent's mail cannot be reached. */
  async take(mail: MailDelivery): Promise<MailTaken> {
    const taken = await takeMail(this.#world, mail);
    if (taken.ok) this.#follow(taken.runId);
    return taken;
  }

  /** Goes on with what a restart has cut short, and with what is due again. */
  resume(): void {
    if (!this.#recovered) for (const runId of unplannedReplies(this.#world.db)) this.#follow(runId);
    this.#recovered = true;
    this.#workOff();
  }

  #follow(runId: string): void {
    const run = this.#world.active.get(runId);
    if (run === undefined) this.#due(runId);
    if (run === undefined || this.#followed.has(runId)) return;
    this.#followed.add(runId);
    run.ended.then(() => {
      this.#followed.delete(runId);
      this.#due(runId);
    });
  }

  #due(runId: string): void {
    if (this.#atWork.has(runId)) return;
    planReply(this.#world.db, runId, this.#world.now());
    this.#workOff();
  }

  /** The end of each lets the next one begin. */
  #workOff(): void {
    for (const runId of dueReplies(this.#world.db, this.#world.now(), AT_ONCE))
      if (this.#atWork.size < AT_ONCE && !this.#atWork.has(runId)) this.#work(runId);
  }

  #work(runId: string): void {
    const ended = this.#answer(runId)
      .catch((error: unknown) => this.#broken(runId, error))
      .then(
        () => true,
        (error: unknown) => {
          this.#world.log.error(`What became of the answer of ${runId} cannot be written down`, error);
          return false;
        },
      );
    this.#atWork.set(
      runId,
      ended.then((written) => {
        this.#atWork.delete(runId);
        // What was not written down is due still: it must not go round and round.
        if (written) this.#workOff();
      }),
    );
  }

  async #answer(runId: string): Promise<void> {
    const reply = readReply(this.#world.db, runId);
    // In this process nobody else works on it: an attempt that was begun is one that a restart has cut off.
    if (reply?.state === "sending")
      return this.#settle(reply, { state: "unknown", reason: "Sending was cut off by a restart." });
    if (reply?.state !== "waiting") return;
    const result = endedResult(this.#world, runId);
    const text = result === null ? null : replyText(result);
    if (text === null || isErased(reply.letter)) return this.#settle(reply, { state: "none" });
    const email = this.#world.mail.open();
    if (email === null)
      return this.#settle(reply, { state: "failed", reason: "The instance's e-mail is not configured." });
    const mail = await composeReply(this.#world, email, { reply, text });
    this.#world.db.transaction(() => markSending(this.#world.db, runId));
    this.#settle(reply, this.#settled(reply, await this.#world.mail.send(email, mail)));
  }

  /** A mistake of ours, which would be the same at the next attempt. */
  #broken(runId: string, error: unknown): void {
    this.#world.log.error(`The answer of ${runId} was not sent`, error);
    const reply = readReply(this.#world.db, runId);
    if (reply === null) return;
    const reason = `Sending it broke off: ${describeError(error)}.`;
    this.#settle(reply, { state: reply.state === "sending" ? "unknown" : "failed", reason });
  }

  #settled({ attempts, at }: Reply, outcome: ReplyOutcome): Settled {
    if (outcome.ok) return { state: "sent", messageId: outcome.messageId };
    const { code, reason } = outcome;
    if (code === "unknown") return { state: "unknown", reason };
    const now = this.#world.now();
    const next =
      code === "busy"
        ? nextAttempt({ attempts: attempts + 1, retryAfter: undefined, occurredAt: at, now })
        : null;
    return next === null ? { state: "failed", reason } : { state: "waiting", nextAt: next, reason };
  }

  #settle({ runId }: Reply, settled: Settled): void {
    const { db, log } = this.#world;
    const told = settled.state === "failed" || settled.state === "unknown";
    db.transaction(() => {
      settleReply(db, runId, settled);
      if (told) putOutbox(db, { kind: "notices", row: this.#notice(runId, settled) }, noticeUid(runId));
    });
    // After that the alarm is set for the next attempt too.
    if (told || settled.nextAt !== undefined) this.#world.outboxFilled();
    const text = `The answer of ${runId} by e-mail: ${settled.state}`;
    if (settled.state === "sent") log.info(`${text}, as ${settled.messageId}`);
    else if (settled.state !== "none") log.warn(`${text}: ${settled.reason ?? ""}`);
  }

  #notice(runId: string, { state, reason = "" }: Settled): NoticeRow {
    const outcome =
      state === "unknown" ? "may or may not have been sent, and is not sent again" : "could not be sent";
    return {
      uid: noticeUid(runId),
      kind: state === "unknown" ? "mail_reply_unknown" : "mail_reply_failed",
      text: `The answer of run ${runId} to an e-mail ${outcome}: ${this.#world.scrubber.scrub(reason)} The run shows what it says.`,
      rootRunId: findRun(this.#world.db, runId)?.lineage.rootRunId ?? null,
      agentId: agentIdOf(this.#world),
      occurredAt: new Date(this.#world.now()).toISOString(),
    };
  }
}

function noticeUid(runId: string): string {
  return `mail:${runId}`;
}
