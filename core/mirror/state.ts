/** How far the mirror is: one row in D1, held by whoever is at work. */
import { ownJson } from "../journal/database.ts";
import { MIRRORED, type MirrorTable } from "./tables.ts";

/** By table: the key after which rows that were there before are still to be copied, or that none is. */
export type Backfill = Readonly<Record<string, { readonly after: string | number } | "done">>;

export interface MirrorState {
  readonly target: string;
  readonly backfill: Backfill;
  readonly written: number;
  readonly cut: number;
  readonly lastAt: string | null;
  readonly lastError: string | null;
  readonly failingSince: string | null;
}

interface StoredState extends Omit<MirrorState, "backfill"> {
  readonly backfill: string;
}

const COLUMNS = `"Target" AS "target", "Backfill" AS "backfill", "Written" AS "written", "Cut" AS "cut",
  "LastAt" AS "lastAt", "LastError" AS "lastError", "FailingSince" AS "failingSince"`;

/** Longer than one minute's work may take: whoever was cut off is followed then. */
const LEASE_MS = 180_000;

const beginning = (table: MirrorTable) => ({ after: table.key === "Id" ? 0 : "" });
const FROM_THE_START = JSON.stringify(
  Object.fromEntries(MIRRORED.map((table) => [table.name, beginning(table)])),
);

/** Null when there is no mirror yet. Rejects when D1 does. */
export async function readMirror(db: D1Database): Promise<MirrorState | null> {
  return stateOf(await db.prepare(`SELECT ${COLUMNS} FROM "Mirror" WHERE "Id" = 1`).first<StoredState>());
}

/** The work as one worker has taken it upon itself: it ends when another one takes it, or the mirror is gone. */
export interface MirrorClaim {
  readonly target: string;
  /** ISO 8601 UTC; tells one claim from the next. */
  readonly leaseUntil: string;
}

/** Takes the work upon itself; null when somebody else is at it. For another target all begins anew. Rejects when D1 does. */
export async function claimMirror(
  db: D1Database,
  target: string,
  now: number,
): Promise<{ readonly claim: MirrorClaim; readonly state: MirrorState } | null> {
  const at = new Date(now).toISOString();
  const claim = { target, leaseUntil: new Date(now + LEASE_MS).toISOString() };
  const results = await db.batch<StoredState>([
    db
      .prepare(
        `INSERT INTO "Mirror" ("Id", "Target", "Backfill", "Written", "Cut") VALUES (1, ?1, ?2, 0, 0)
         ON CONFLICT ("Id") DO UPDATE SET "Target" = ?1, "Backfill" = ?2, "Written" = 0, "Cut" = 0, "LastAt" = NULL
         WHERE "Target" <> ?1 AND ("LeaseUntil" IS NULL OR "LeaseUntil" <= ?3)`,
      )
      .bind(target, FROM_THE_START, at),
    db
      .prepare(
        `UPDATE "Mirror" SET "LeaseUntil" = ?1 WHERE "Id" = 1 AND "Target" = ?2
           AND ("LeaseUntil" IS NULL OR "LeaseUntil" <= ?3) RETURNING ${COLUMNS}`,
      )
      .bind(claim.leaseUntil, target, at),
  ]);
  const state = stateOf(results[1]?.results[0] ?? null);
  return state === null ? null : { claim, state };
}

/** `?1` and `?2` are the claim's, see `claimed`. */
const HELD = `"Id" = 1 AND "Target" = ?1 AND "LeaseUntil" = ?2`;
/** For statements that may only be made while the claim holds. */
export const CLAIM_HOLDS = `EXISTS (SELECT 1 FROM "Mirror" WHERE ${HELD})`;
export const claimed = ({ target, leaseUntil }: MirrorClaim) => [target, leaseUntil] as const;

/** Keeps how far the tables have come. Changes nothing when the claim is lost. */
export function saveBackfill(db: D1Database, claim: MirrorClaim, backfill: Backfill): D1PreparedStatement {
  return db
    .prepare(`UPDATE "Mirror" SET "Backfill" = ?3 WHERE ${HELD}`)
    .bind(...claimed(claim), JSON.stringify(backfill));
}

/** Changes one row, and none when the claim is lost. */
export function countWritten(
  db: D1Database,
  claim: MirrorClaim,
  rows: { readonly written: number; readonly cut: number },
): D1PreparedStatement {
  return db
    .prepare(`UPDATE "Mirror" SET "Written" = "Written" + ?3, "Cut" = "Cut" + ?4 WHERE ${HELD}`)
    .bind(...claimed(claim), rows.written, rows.cut);
}

/** Gives the work back, unless another has it by now. `error` is scrubbed; null when all went well. */
export async function releaseMirror(
  db: D1Database,
  claim: MirrorClaim,
  { error, now }: { readonly error: string | null; readonly now: number },
): Promise<void> {
  const at = new Date(now).toISOString();
  await db
    .prepare(
      error === null
        ? `UPDATE "Mirror" SET "LeaseUntil" = NULL, "LastAt" = ?3, "LastError" = NULL, "FailingSince" = NULL WHERE ${HELD}`
        : `UPDATE "Mirror" SET "LeaseUntil" = NULL, "LastError" = ?4, "FailingSince" = coalesce("FailingSince", ?3) WHERE ${HELD}`,
    )
    .bind(...claimed(claim), ...(error === null ? [at] : [at, error]))
    .run();
}

/** Whether every row that was there before has been copied to this target: until then none of them may be deleted. */
export async function isFilled(db: D1Database, target: string): Promise<boolean> {
  const state = await readMirror(db);
  return state?.target === target && Object.values(state.backfill).every((each) => each === "done");
}

const QUEUED_AT_ONCE = 20_000;

/** Without a mirror nothing is queued any more; what is still queued goes, in bounded pieces. True when nothing is left. */
export async function dropMirror(db: D1Database): Promise<boolean> {
  const results = await db.batch([
    db.prepare(`DELETE FROM "Mirror"`),
    db
      .prepare(
        `DELETE FROM "MirrorQueue" WHERE "Id" IN (SELECT "Id" FROM "MirrorQueue" ORDER BY "Id" LIMIT ?)`,
      )
      .bind(QUEUED_AT_ONCE),
  ]);
  return (results[1]?.meta.changes ?? 0) < QUEUED_AT_ONCE;
}

function stateOf(stored: StoredState | null): MirrorState | null {
  return stored === null ? null : { ...stored, backfill: ownJson<Backfill>(stored.backfill) };
}
