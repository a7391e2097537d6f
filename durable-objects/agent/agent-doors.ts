import {
  type Earlier,
  earlierInContext,
  type OutsideTask,
  outsideTask,
  outsideTasks,
} from "../../core/agent/outside-tasks.ts";
import { type MailDelivery, type MailTaken, refusedMail } from "../../core/email/take-mail.ts";
import {
  type HookDelivery,
  type HookLock,
  hookLocks,
  type TakenDelivery,
  takeDelivery,
} from "../../core/hooks/take-delivery.ts";
import type { ContextPage, OutsideContext } from "../../core/journal/contexts.ts";
import { AgentRuns } from "./agent-runs.ts";

/** What comes in from outside of the team: webhooks, mail, A2A's clients. */
export abstract class AgentDoors extends AgentRuns {
  /** How the calls of its webhooks are checked. */
  async hookLocks(): Promise<HookLock[] | "not_configured"> {
    const { documents, world } = this.parts;
    return documents.current === null ? "not_configured" : hookLocks(world);
  }

  /** A webhook's call whose signature is right; the same again starts nothing. */
  async takeDelivery(delivery: HookDelivery): Promise<TakenDelivery> {
    const taken = takeDelivery(this.parts.world, delivery);
    if (taken.ok) this.parts.keepAlive.arm();
    return taken;
  }

  /** What can be said of a mail before its attachments are kept; null when it may be delivered. */
  async refusedMail(mail: Pick<MailDelivery, "mark" | "threadId" | "from">): Promise<MailTaken | null> {
    return refusedMail(this.parts.world, mail);
  }

  /** A mail whose sender may write to this agent; the same again starts nothing. */
  async takeMail(mail: MailDelivery): Promise<MailTaken> {
    const taken = await this.parts.mail.take(mail);
    if (taken.ok) this.parts.keepAlive.arm();
    return taken;
  }

  async earlierInContext(context: OutsideContext): Promise<Earlier | null> {
    return earlierInContext(this.parts.world, context);
  }

  async outsideTask(owner: string, runId: string): Promise<OutsideTask | null> {
    return outsideTask(this.parts.world, owner, runId);
  }

  async outsideTasks(page: ContextPage): Promise<{ tasks: OutsideTask[]; next: number | null }> {
    return outsideTasks(this.parts.world, page);
  }
}
