/**
 * A minute's work on the mirror: what was queued by the triggers, and of the rows that were there before the
 * next ones. Writing a row again leaves it as it is, so cut short anywhere the next minute just goes on; a row
 * leaves the queue when it is on the other side and has not changed meanwhile.
 */
import {
  type Backfill,
  CLAIM_HOLDS,
  claimed,
  claimMirror,
  countWritten,
  type MirrorClaim,
  type MirrorState,
  readMirror,
  releaseMirror,
  saveBackfill,
} from "./state.ts";
import { MIRRORED, type MirrorRow, type MirrorTable } from "./tables.ts";

/** The database on the other side. */
export interface MirrorTarget {
  /** Makes the tables that are missing. */
  prepare(tables: readonly MirrorTable[]): Promise<void>;
  /** Writes the rows, in place of those with the same identity. Answers in how many a text had to be cut. */
  write(table: MirrorTable, rows: readonly MirrorRow[]): Promise<number>;
}

export interface MirrorWorld {
  readonly db: D1Database;
  readonly texts: R2Bucket;
  /** Names the other side: another one is filled from the beginning. */
  readonly target: string;
  /** Opens a connection, does the work and closes it. Rejects as the driver does. */
  connected(work: (target: MirrorTarget) => Promise<void>): Promise<void>;
  /** What is kept of an error: scrubbed, of bounded length. */
  describe(error: unknown): string;
  readonly now: () => number;
  /** Rows of one minute, roughly; a text that lies in R2 counts as twenty. */
  readonly maxRows: number;
  /** Milliseconds of one minute's work, roughly. */
  readonly maxMs: number;
}

export type MirrorRun =
  /** `busy`: somebody else is at it, or has taken it over meanwhile. */
  | { readonly state: "idle" | "busy" }
  | { readonly state: "written"; readonly rows: number }
  | { readonly state: "failed"; readonly error: unknown };

/** Rejects only when D1 cannot even be asked. */
export async function runMirror(world: MirrorWorld): Promise<MirrorRun> {
  const { db, target, now } = world;
  if (isIdle(await readMirror(db), target) && !(await isQueued(db))) return { state: "idle" };
  const taken = await claimMirror(db, target, now());
  if (taken === null) return { state: "busy" };
  const { claim } = taken;
  try {
    const done: { rows: number | "lost" } = { rows: 0 };
    await world.connected(async (other) => {
      done.rows = await copy({ ...world, other, claim }, taken.state.backfill);
    });
    await releaseMirror(db, claim, { error: null, now: now() });
    return done.rows === "lost" ? { state: "busy" } : { state: "written", rows: done.rows };
  } catch (error) {
    await releaseMirror(db, claim, { error: world.describe(error), now: now() });
    return { state: "failed", error };
  }
}

function isIdle(state: MirrorState | null, target: string): boolean {
  if (state === null || state.target !== target || state.lastError !== null) return false;
  return Object.values(state.backfill).every((each) => each === "done");
}

async function isQueued(db: D1Database): Promise<boolean> {
  return (await db.prepare(`SELECT 1 FROM "MirrorQueue" LIMIT 1`).first()) !== null;
}

interface Work extends MirrorWorld {
  readonly other: MirrorTarget;
  readonly claim: MirrorClaim;
}

/** What is new and what is old by turns, so that neither keeps the other waiting. Answers the number of rows. */
async function copy(work: Work, from: Backfill): Promise<number | "lost"> {
  await work.other.prepare(MIRRORED);
  const end = work.now() + work.maxMs;
  let backfill = from;
  let [rows, effort] = [0, 0];
  while (effort < work.maxRows && work.now() < end) {
    const queued = await copyQueued(work);
    const old = queued === "lost" ? queued : await copyOld(work, backfill);
    if (queued === "lost" || old === "lost") return "lost";
    backfill = old.backfill;
    rows += queued.rows + old.rows;
    effort += queued.effort + old.effort;
    if (!queued.more && !old.more) break;
  }
  return rows;
}

const BATCH_ROWS = 250;
/** A text from R2 is a subrequest of its own: it counts like so many rows. */
const FETCH_ROWS = 20;

interface Queued {
  readonly id: number;
  readonly changes: number;
  readonly tableName: string;
  readonly rowKey: string;
}

async function copyQueued(work: Work) {
  const { db, claim } = work;
  const { results: queued } = await db
    .prepare(
      `SELECT "Id" AS "id", "Changes" AS "changes", "TableName" AS "tableName", "RowKey" AS "rowKey"
       FROM "MirrorQueue" ORDER BY "Id" LIMIT ${BATCH_ROWS}`,
    )
    .all<Queued>();
  let effort = queued.length;
  for (const table of MIRRORED) {
    const own = queued.filter(({ tableName }) => tableName === table.name);
    if (own.length === 0) continue;
    const keys = own.map(({ rowKey }) => (table.key === "Id" ? Number(rowKey) : rowKey));
    const done = await copyRows(work, { table, keys });
    const [counted] = await db.batch([countWritten(db, claim, done), dequeue(db, claim, own)]);
    if (counted?.meta.changes === 0) return "lost";
    effort += done.fetched * FETCH_ROWS;
  }
  return { rows: queued.length, effort, more: queued.length === BATCH_ROWS };
}

/** One that was changed again meanwhile stays; so do all when they were copied to a side that is no longer the one. */
function dequeue(db: D1Database, claim: MirrorClaim, queued: readonly Queued[]): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM "MirrorQueue" WHERE "Id" IN (
         SELECT q."Id" FROM json_each(?3) done JOIN "MirrorQueue" q
           ON q."Id" = done.value ->> 0 AND q."Changes" = done.value ->> 1) AND ${CLAIM_HOLDS}`,
    )
    .bind(...claimed(claim), JSON.stringify(queued.map(({ id, changes }) => [id, changes])));
}

async function copyOld(work: Work, backfill: Backfill) {
  const { db, claim } = work;
  const table = MIRRORED.find(({ name }) => backfill[name] !== "done");
  const place = table === undefined ? undefined : backfill[table.name];
  if (table === undefined || place === undefined || place === "done")
    return { rows: 0, effort: 0, more: false, backfill };
  const { results } = await db
    .prepare(
      `SELECT t."${table.key}" AS "key" FROM "${table.name}" t WHERE t."${table.key}" > ? ORDER BY t."${table.key}" LIMIT ${BATCH_ROWS}`,
    )
    .bind(place.after)
    .all<{ key: string | number }>();
  const keys = results.map(({ key }) => key);
  const done = await copyRows(work, { table, keys });
  const last = keys.at(-1);
  const isLast = keys.length < BATCH_ROWS || last === undefined;
  const next: Backfill = { ...backfill, [table.name]: isLast ? "done" : { after: last } };
  const [counted] = await db.batch([countWritten(db, claim, done), saveBackfill(db, claim, next)]);
  if (counted?.meta.changes === 0) return "lost";
  const effort = keys.length + done.fetched * FETCH_ROWS;
  return {
    rows: keys.length,
    effort,
    more: Object.values(next).some((each) => each !== "done"),
    backfill: next,
  };
}

interface Rows {
  readonly table: MirrorTable;
  readonly keys: readonly (string | number)[];
}

/** Rows that are gone are passed over. */
async function copyRows(work: Work, { table, keys }: Rows) {
  let [written, cut, fetched] = [0, 0, 0];
  for (const part of await inParts(work.db, { table, keys })) {
    const rows = await readRows(work, table, part);
    if (rows.length > 0) cut += await work.other.write(table, rows);
    written += rows.length;
    fetched += rows.filter((row) => typeof row.ContentRef === "string").length;
  }
  return { written, cut, fetched };
}

/** Characters that are held in memory at once, roughly. */
const PART_CHARS = 2_000_000;
/** The column that names a text in R2. */
const REF = "ContentRef";

/** A row whose text lies in R2 is a part of its own: how long the text is does not stand in D1. */
async function inParts(db: D1Database, { table, keys }: Rows): Promise<(string | number)[][]> {
  const inD1 = table.columns.some(({ name }) => name === REF) ? `t."${REF}" IS NULL` : "1";
  const { results } = await db
    .prepare(
      `SELECT t."${table.key}" AS "key", iif(${inD1}, ${table.size}, ${PART_CHARS + 1}) AS "size" FROM "${table.name}" t
       WHERE t."${table.key}" IN (SELECT value FROM json_each(?)) ORDER BY t."${table.key}"`,
    )
    .bind(JSON.stringify(keys))
    .all<{ key: string | number; size: number }>();
  const parts: (string | number)[][] = [];
  let chars = PART_CHARS;
  for (const { key, size } of results) {
    const last = parts.at(-1);
    if (last === undefined || chars + size > PART_CHARS) {
      parts.push([key]);
      chars = size;
    } else {
      last.push(key);
      chars += size;
    }
  }
  return parts;
}

async function readRows(
  { db, texts }: MirrorWorld,
  table: MirrorTable,
  keys: readonly (string | number)[],
): Promise<MirrorRow[]> {
  const { results } = await db
    .prepare(
      `SELECT ${table.select} FROM "${table.name}" t WHERE t."${table.key}" IN (SELECT value FROM json_each(?))`,
    )
    .bind(JSON.stringify(keys))
    .all<MirrorRow>();
  const whole: MirrorRow[] = [];
  for (const row of results) whole.push(await withWholeText(texts, row));
  return whole;
}

async function withWholeText(texts: R2Bucket, row: MirrorRow): Promise<MirrorRow> {
  const { ContentRef: ref } = row;
  if (typeof ref !== "string") return row;
  const stored = await texts.get(ref);
  return stored === null ? row : { ...row, Content: await stored.text() };
}
