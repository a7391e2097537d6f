import { sendRows } from "./api.mjs";

const MAX_ROWS = 200;
const MAX_BYTES = 3_000_000;
/** An instance takes bodies of 16,000,000 bytes. */
const MAX_ROW_BYTES = 15_000_000;

/**
 * Sends the rows of a table that lie after the cursor, batch by batch; only one batch is held in memory.
 * @param onRows called with the number of rows of each batch that has been taken
 */
export async function sendTable(target, source, { table, cursor, onRows }) {
  let after = cursor;
  for (const { rows, place } of batches(table.read(cursor === null ? null : JSON.parse(cursor)))) {
    const next = JSON.stringify(place);
    await sendRows(target, table.name, {
      source,
      after,
      cursor: next,
      columns: table.columns,
      rows,
    });
    after = next;
    onRows(rows.length);
  }
}

function* batches(rows) {
  let batch = [];
  let bytes = 0;
  let place = null;
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row.cells));
    if (batch.length > 0 && (batch.length >= MAX_ROWS || bytes + size > MAX_BYTES)) {
      yield { rows: batch, place };
      [batch, bytes] = [[], 0];
    }
    const tooLarge = size > MAX_ROW_BYTES;
    batch.push({ key: row.key, cells: tooLarge ? null : row.cells });
    bytes += tooLarge ? 0 : size;
    place = row.place;
  }
  if (batch.length > 0) yield { rows: batch, place };
}
