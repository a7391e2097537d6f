/** What a person is shown of the mirror. */

import type { Reader } from "../record/reader.ts";
import { readMirror } from "./state.ts";
import { MIRRORED } from "./tables.ts";

/** Counting stops there: a count reads every row that it counts. */
const COUNTED = 10_000;

export interface MirrorView {
  /** `off`: not configured. `filling`: rows that were there before are still being copied. `failing`: the latest attempt failed. */
  readonly state: "off" | "starting" | "filling" | "failing" | "behind" | "even";
  /** Rows still to be copied; `atLeast` when there are more than are counted. */
  readonly lag: { readonly rows: number; readonly atLeast: boolean; readonly seconds: number };
  readonly written: number;
  readonly cut: number;
  readonly lastAt: string | null;
  readonly lastError: string | null;
  readonly failingSince: string | null;
}

const NOTHING: MirrorView = {
  state: "off",
  lag: { rows: 0, atLeast: false, seconds: 0 },
  written: 0,
  cut: 0,
  lastAt: null,
  lastError: null,
  failingSince: null,
};

/** `target` is null when no mirror is configured. Reads at most 40,000 rows. Rejects when D1 does. */
export async function mirrorView(
  reader: Reader,
  { db, target, now }: { readonly db: D1Database; readonly target: string | null; readonly now: number },
): Promise<MirrorView> {
  if (target === null) return NOTHING;
  const state = await readMirror(db);
  if (state === null || state.target !== target) return { ...NOTHING, state: "starting" };
  const queue = await queued(reader);
  const old = await Promise.all(
    MIRRORED.map(({ name, key }) => {
      const place = state.backfill[name];
      return place === undefined || place === "done"
        ? 0
        : count(reader, `"${name}" WHERE "${key}" > ?`, place.after);
    }),
  );
  const rows = [queue.rows, ...old];
  const total = rows.reduce((sum, each) => sum + each, 0);
  const { written, cut, lastAt, lastError, failingSince } = state;
  return {
    state: stateOf({ failed: lastError !== null, filling: old.some((each) => each > 0), queued: queue.rows }),
    lag: {
      rows: total,
      atLeast: rows.some((each) => each >= COUNTED),
      seconds: secondsSince(queue.since, now),
    },
    ...{ written, cut, lastAt, lastError, failingSince },
  };
}

function stateOf(at: { failed: boolean; filling: boolean; queued: number }): MirrorView["state"] {
  if (at.failed) return "failing";
  if (at.filling) return "filling";
  return at.queued > 0 ? "behind" : "even";
}

/** The oldest of the queue stands in front. */
async function queued(reader: Reader): Promise<{ rows: number; since: string | null }> {
  const first = await reader.first<{ since: string }>(
    `SELECT "QueuedAt" AS "since" FROM "MirrorQueue" ORDER BY "Id" LIMIT 1`,
  );
  return { rows: first === null ? 0 : await count(reader, `"MirrorQueue"`), since: first?.since ?? null };
}

async function count(reader: Reader, from: string, ...params: (string | number)[]): Promise<number> {
  const row = await reader.first<{ rows: number }>(
    `SELECT count(*) AS "rows" FROM (SELECT 1 FROM ${from} LIMIT ${COUNTED})`,
    ...params,
  );
  return row?.rows ?? 0;
}

function secondsSince(since: string | null, now: number): number {
  return since === null ? 0 : Math.max(0, Math.round((now - Date.parse(since)) / 1_000));
}
