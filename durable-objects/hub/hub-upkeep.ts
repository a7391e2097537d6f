import type { ActRow } from "../../core/admin/act.ts";
import { isFirstOfHour } from "../../core/admin/once.ts";
import type { InstanceConfig } from "../../core/config/instance.ts";
import type { ErasedInAgent, EraseRequest } from "../../core/erase/erase-agent.ts";
import { eraseInHub } from "../../core/erase/erase-hub.ts";
import { dropAbandoned, dropErasure, keepErasure, readErasure } from "../../core/erase/erasures.ts";
import type { EraseState } from "../../core/erase/job.ts";
import { needleOf } from "../../core/erase/needle.ts";
import { readAgentIds, readInstance } from "../../core/hub/directory.ts";
import { owesAnything } from "../../core/hub/hand-over.ts";
import { isStill, keepStill } from "../../core/hub/stillness.ts";
import {
  type AgentArmed,
  armDue,
  type DueAgent,
  isNewVersion,
  markDue,
  readDue,
} from "../../core/jobs/due-table.ts";
import { keepReportMark, type ReportMark, readReportMark } from "../../core/report/mark.ts";
import { HubAccess } from "./hub-access.ts";

/** New code asks everybody, whichever documents are in force. */
const NEW_CODE = { documents: 0, instance: 0 };

export interface Minute {
  readonly instance: InstanceConfig | null;
  /** Who has something due. */
  readonly due: DueAgent[];
  /** Whether an agent's object does not work by what is decided yet. */
  readonly owing: boolean;
  /** How far reports have come. */
  readonly report: ReportMark | null;
  /** Whether the record is being backed up or restored. */
  readonly still: boolean;
}

/** What the minute's trigger and administration need. */
export abstract class HubUpkeep extends HubAccess {
  /**
   * What the minute's trigger needs to know. A version of the Worker that was never seen concerns everybody.
   */
  async minute(at: number, version: string | null): Promise<Minute> {
    const { db } = this.parts;
    dropAbandoned(db, at);
    if (version !== null && isNewVersion(db, version)) markDue(db, [...readAgentIds(db)], NEW_CODE);
    return {
      instance: readInstance(db),
      due: readDue(db, at),
      owing: owesAnything(db),
      report: readReportMark(db),
      still: isStill(db, Date.now()),
    };
  }

  /** Until then the minute deletes nothing of the record and adds nothing to its figures. Epoch milliseconds. */
  async keepStill(until: number): Promise<void> {
    keepStill(this.parts.db, until);
  }

  async keepReport(mark: ReportMark | null): Promise<void> {
    keepReportMark(this.parts.db, mark);
  }

  /** When they have something due next. */
  async armDue(answers: readonly AgentArmed[]): Promise<void> {
    for (const answer of answers) armDue(this.parts.db, answer);
  }

  /** Durable once it returns; D1 has it a moment later, or when it is back. */
  async recordAct(act: ActRow): Promise<void> {
    this.parts.acts.with(act, () => undefined);
  }

  /** The same for what may be done many times over: the first time in each hour. */
  async recordActOnce(act: ActRow): Promise<void> {
    const { acts, db } = this.parts;
    db.transaction(() => {
      if (isFirstOfHour(db, act, Date.now())) acts.with(act, () => undefined);
    });
  }

  /** How far an erasure has come; null for one that is not under way. */
  async erasure(name: string): Promise<EraseState | null> {
    return readErasure(this.parts.db, name);
  }

  /** Answers what stands: another caller may have come further. */
  async keepErasure(name: string, state: EraseState): Promise<EraseState> {
    const { db } = this.parts;
    return db.transaction(() => keepErasure(db, name, state));
  }

  /** Its end and its row in the log of administration: both or neither. */
  async endErasure(name: string, act: ActRow): Promise<void> {
    this.parts.acts.with(act, () => dropErasure(this.parts.db, name));
  }

  /** Erases in what the hub keeps: the live feed, its tables, and old documents of the instance. */
  async erase({ text, ...request }: EraseRequest): Promise<ErasedInAgent> {
    const { db, feed } = this.parts;
    const needle = needleOf(text);
    const told = request.from === null ? feed.erase(needle.count, request.write) : 0;
    const erased = eraseInHub(db, needle, request);
    return { ...erased, found: erased.found + told };
  }
}
