/** One step of retention: the oldest rows of one table go, into the archive or for good. */
import { type ArchiveStores, archivePart } from "../archive/archive-rows.ts";
import { deleteRows } from "./delete-rows.ts";
import type { KeptTable } from "./kept-tables.ts";
import type { OldRow } from "./old-rows.ts";

/** R2 deletes so many texts at once. */
const BATCH_ROWS = 1_000;
/** Characters of a batch: it is held in memory, compressed and read back. */
const BATCH_CHARS = 3_000_000;

export interface Retention {
  readonly table: KeptTable;
  /** At most `limit` rows that are to go, the oldest first. */
  select(limit: number): Promise<OldRow[]>;
  /** Whether they go into the archive. */
  readonly archive: boolean;
  /** Batches at most. */
  readonly batches: number;
}

/** Answers how many rows have gone. Can be cut short anywhere and called again. Rejects when D1 or R2 does. */
export async function retain(stores: ArchiveStores, step: Retention): Promise<number> {
  let gone = 0;
  for (let batch = 0; batch < step.batches; batch += 1) {
    const taken = await retainBatch(stores, step);
    if (taken === 0) break;
    gone += taken;
  }
  return gone;
}

async function retainBatch(stores: ArchiveStores, { table, select, archive }: Retention): Promise<number> {
  const next = async () => ofOneDay(await select(BATCH_ROWS));
  // A part that was begun is ended also when the archive was switched off since: its object may be there.
  const archived = await archivePart(stores, table, archive ? next : async () => []);
  if (archived > 0 || archive) return archived;
  const rows = await next();
  if (rows.length > 0) await deleteRows(stores, table, rows);
  return rows.length;
}

/** Those of the oldest day, as many as a batch may hold, and one at least. */
export function ofOneDay(rows: readonly OldRow[]): OldRow[] {
  const days = rows.map(({ at }) => at.slice(0, 10)).sort();
  let chars = 0;
  return rows
    .filter(({ at }) => at.startsWith(days[0] ?? ""))
    .filter(({ size }, index) => {
      chars += size;
      return index === 0 || chars <= BATCH_CHARS;
    });
}
