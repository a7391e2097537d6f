/** The chain object's tables: its members and its state. */
import { type Database, first, int, ownJson, type Row, text, textOrNull } from "../journal/database.ts";
import type { Trigger } from "../lineage.ts";
import type { ReceiptRow } from "../record/rows.ts";
import { type ChainSpent, NOTHING_SPENT, type Spent } from "./budget.ts";

export interface Member {
  readonly runId: string;
  readonly agentId: string;
  readonly parentRunId: string | null;
  readonly depth: number;
  readonly trigger: Trigger;
}

export interface MemberView extends Member {
  readonly admittedAt: string;
  /** Null while the run is under way. */
  readonly receipt: ReceiptRow | null;
}

export interface ChainState {
  /** Why it is frozen; null when it is not. */
  readonly frozen: string | null;
  readonly cancelled: boolean;
  /** How often its members were told of that. */
  readonly tellings: number;
  /** How often a person has released it. */
  readonly releases: number;
  /** What had been spent at the last release. */
  readonly released: ChainSpent;
}

const FRESH: ChainState = {
  frozen: null,
  cancelled: false,
  tellings: 0,
  releases: 0,
  released: NOTHING_SPENT,
};

export function createChainSchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS Members (
      runId TEXT PRIMARY KEY, member TEXT NOT NULL, admittedAt INTEGER NOT NULL,
      receipt TEXT, tokens INTEGER NOT NULL DEFAULT 0, costMicros INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS MembersLive ON Members (admittedAt) WHERE receipt IS NULL;
    CREATE TABLE IF NOT EXISTS State (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL);
  `);
}

export function loadState(db: Database): ChainState {
  const row = first(db, "SELECT json FROM State");
  return row === null ? FRESH : { ...FRESH, ...ownJson<Partial<ChainState>>(text(row, "json")) };
}

export function saveState(db: Database, state: ChainState): void {
  db.run("INSERT OR REPLACE INTO State (id, json) VALUES (1, ?)", JSON.stringify(state));
}

export function isMember(db: Database, runId: string): boolean {
  return first(db, "SELECT 1 FROM Members WHERE runId = ?", runId) !== null;
}

/** Whether a member's receipt is there. */
export function isClosed(db: Database, runId: string): boolean {
  return first(db, "SELECT 1 FROM Members WHERE runId = ? AND receipt IS NOT NULL", runId) !== null;
}

/** Adds a member; a second time changes nothing and answers false. */
export function addMember(db: Database, member: Member, now: number): boolean {
  if (isMember(db, member.runId)) return false;
  db.run(
    "INSERT INTO Members (runId, member, admittedAt) VALUES (?, ?, ?)",
    member.runId,
    JSON.stringify(member),
    now,
  );
  return true;
}

/** Writes a member's closing receipt; the first one stands. Answers what that adds to the chain. */
export function closeMember(db: Database, closed: { member: Member; receipt: ReceiptRow }): ChainSpent {
  const { member, receipt } = closed;
  const known = first(db, "SELECT receipt IS NOT NULL AS closed FROM Members WHERE runId = ?", member.runId);
  if (known !== null && int(known, "closed") === 1) return NOTHING_SPENT;
  const spent = spentOf(receipt);
  db.run(
    `INSERT INTO Members (runId, member, admittedAt, receipt, tokens, costMicros) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (runId) DO UPDATE SET receipt = excluded.receipt, tokens = excluded.tokens,
       costMicros = excluded.costMicros`,
    member.runId,
    JSON.stringify(member),
    Date.parse(receipt.startedAt) - receipt.queuedMs,
    JSON.stringify(receipt),
    spent.tokens,
    spent.costMicros,
  );
  return { runs: known === null ? 1 : 0, ...spent };
}

/** A member that never came to be: admitted, then refused by its agent. */
export function removeMember(db: Database, runId: string): void {
  db.run("DELETE FROM Members WHERE runId = ? AND receipt IS NULL", runId);
}

/** Runs admitted, and what the closed ones used. */
export function closedSpent(db: Database): ChainSpent {
  const row = first(
    db,
    "SELECT count(*) AS runs, coalesce(sum(tokens), 0) AS tokens, coalesce(sum(costMicros), 0) AS cost FROM Members",
  );
  if (row === null) return NOTHING_SPENT;
  return { runs: int(row, "runs"), tokens: int(row, "tokens"), costMicros: int(row, "cost") };
}

/** More are not listed. */
export const MAX_MEMBERS = 5_000;

/** The root, of which the object may hear late, then the others in order of admission. */
export function listMembers(db: Database): MemberView[] {
  const isCaused = "member ->> 'parentRunId' IS NOT NULL";
  return db
    .all(`SELECT * FROM Members ORDER BY ${isCaused}, admittedAt, runId LIMIT ?`, MAX_MEMBERS)
    .map(memberView);
}

export function liveMembers(db: Database): Member[] {
  return db
    .all("SELECT member FROM Members WHERE receipt IS NULL")
    .map((row) => ownJson<Member>(text(row, "member")));
}

function memberView(row: Row): MemberView {
  const receipt = textOrNull(row, "receipt");
  return {
    ...ownJson<Member>(text(row, "member")),
    admittedAt: new Date(int(row, "admittedAt")).toISOString(),
    receipt: receipt === null ? null : ownJson<ReceiptRow>(receipt),
  };
}

/** What an ended run has used; a part of unknown price does not count. */
export function spentOf(receipt: ReceiptRow): Spent {
  return {
    tokens: (receipt.inputTokens ?? 0) + (receipt.outputTokens ?? 0),
    costMicros: receipt.costMicros ?? 0,
  };
}
