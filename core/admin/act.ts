/** What a person does to the instance, for the log of administration. */
import { cutPosition } from "../journal/long-text.ts";

export const ACT_ACTIONS = [
  "config.push",
  "config.put",
  "config.delete",
  "config.rollback",
  "conversation.reset",
  "token.create",
  "token.revoke",
  "approval.decide",
  "chain.cancel",
  "chain.release",
  "run.cancel",
  "agent.pause",
  "agent.resume",
  "job.enable",
  "job.disable",
  "job.run",
  "tool.call",
  "export",
  "import",
  "backup",
  "restore",
  "restore.empty",
  "erase",
  "rollups.rebuild",
] as const;
export type ActAction = (typeof ACT_ACTIONS)[number];

/** As a route tells it. Neither `target` nor `details` may hold a text of a person: rows of this log are never changed. */
export interface Act {
  readonly action: ActAction;
  /** What it was done to: an agent's id, an approval's, a chain's, a token's name. */
  readonly target: string;
  /** Names, numbers and key paths that say what was done. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A row of `AdminLog` that tells an act of this instance, but for its id. */
export interface ActRow {
  readonly uid: string;
  readonly actor: string;
  readonly action: ActAction;
  readonly target: string;
  /** JSON, or its beginning where it was longer than `DETAIL_CHARS`. */
  readonly details: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly occurredAt: string;
}

const DETAIL_CHARS = 4_000;
const NAME_CHARS = 500;

export interface ActStamp {
  readonly uid: string;
  readonly actor: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly scrub: (text: string) => string;
}

/** The row of an act: masked, then cut. */
export function actRow({ action, target, details }: Act, { uid, actor, now, scrub }: ActStamp): ActRow {
  const masked = (text: string, chars: number) => {
    const clean = scrub(text);
    return clean.slice(0, cutPosition(clean, chars));
  };
  return {
    uid,
    actor: masked(actor, NAME_CHARS),
    action,
    target: masked(target, NAME_CHARS),
    details: masked(JSON.stringify(details ?? {}), DETAIL_CHARS),
    occurredAt: new Date(now).toISOString(),
  };
}
